"""Every mistake at the command line is answered in one line that speaks of options, and nothing is written."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

from epsilens.cli.main import COMMANDS
from tests.unit.cli.conftest import Run

FILES = {
    "people.csv": "age,sex,income,person,town\n23,f,low,1,a\n24,f,low,2,a\n31,m,high,3,b\n34,m,,4,b\n38,m,high,4,b\n",
    "counts.csv": "sex,income,n,bad\nf,low,3,-1\nm,low,2,1.5\nm,high,1,x\n",
    "groups.csv": "block,tract,sex,age,person\nb1,t1,f,30,1\nb1,t1,m,40,2\nb2,t2,f,x,2\n",
    "unnested.csv": "block,tract,sex\nb1,t1,f\nb1,t2,m\n",
    "empty.csv": "",
    "nobody.csv": "age,sex,income\n",
    "u.json": '{"sex": ["f", "m"], "income": ["low", "high", "(missing)"]}',
    "narrow.json": '{"sex": ["f"], "income": ["low"]}',
    "twice.json": '{"sex": ["f", "f"], "income": ["low", "high"]}',
    "none.json": '{"sex": [], "income": ["low"]}',
    "backwards.json": '{"sex": {"from": 9, "to": 1}, "income": ["low"]}',
    "broken.json": "{",
    "list.json": "[1, 2]",
    "zeros.json": '[{"sexx": "f"}]',
    "tree.json": '{"noisy": [[1, 2], [3]], "parents": [[0, 0]], "rho": [0.1, 0.2]}',
    "lone.json": '{"noisy": [[1, 2], [3]], "parents": [[0]], "rho": [0.1, 0.2]}',
    "poor.json": '{"noisy": [[1, 2], [3]], "parents": [[0, 0]], "rho": [0.1]}',
    "strange.json": '{"noisy": [[1, 2], [3]], "parents": [[0, 0]], "rho": [0.1, 0.2], "leaf_prior": "x"}',
    "plan.json": json.dumps(
        {
            "source": "people.csv",
            "qid": ["sex"],
            "releases": [{"name": "one", "sensitive": "income", "epsilon": 1}],
        }
    ),
    "poor-plan.json": '{"source": "people.csv", "qid": ["sex"], "releases": [{"sensitive": "income"}]}',
    "idle-plan.json": '{"source": "people.csv", "qid": ["sex"], "releases": []}',
    "odd-plan.json": '{"source": "people.csv", "qid": ["sex"], "sensitiv": "income", "releases": [{"epsilon": 1}]}',
    "zero-plan.json": '{"source": "people.csv", "qid": ["sex"], "releases": [{"sensitive": "income", "epsilon": 0}]}',
    "orphan-plan.json": '{"source": "people.csv", "qid": ["sex"], "releases": '
    '[{"name": "a", "sensitive": "income", "epsilon": 1, "parent": "b"}]}',
    "statistics.json": '[{"kind": "mean", "column": "age"}]',
    "kinds.json": '[{"kind": "median", "column": "age"}]',
    "card.json": '{"format": "something else"}',
    "notes.txt": "not a ledger",
    "p.toml": '[data]\nsource = "people.csv"\nquasi_identifiers = ["sex"]\nsensitive = "income"\n',
    "odd.toml": '[data]\nsource = "people.csv"\n[choose]\nmax_risc = 0.1\n',
    "typed.toml": '[data]\nsource = "people.csv"\n[choose]\nmax_risk = [0.1]\n',
    "broken.toml": "[data\n",
}

TABLE = "people.csv --qid sex --sensitive income"
TRUTH = "--truth people.csv --qid sex --sensitive income"
LEVELS = "groups.csv --levels block,tract --by sex"
PAID = "--ledger b.db --account a --total-epsilon 2 --one-row-per-person --out o.csv"
COUNTS = f"people.csv --columns sex,income --universe u.json {PAID}"
MEAN = f"people.csv -s 'mean age=0:100' --n 3 {PAID}"

MISTAKES = f"""
run
run none.toml
run notes.txt
run broken.toml assess
run odd.toml choose
run typed.toml choose
run p.toml chose
run p.toml choose
run p.toml ledger
run p.toml assess --epsilon 0
assess
assess nowhere.csv --qid sex --sensitive income
assess empty.csv --qid sex --sensitive income
assess nobody.csv --qid sex --sensitive income
assess people.csv --sensitive income
assess people.csv --qid sex
assess people.csv --qid sexx --sensitive income
assess people.csv --qid sex --sensitive incom
assess people.csv --qid sex,sex --sensitive income
assess people.csv --qid sex --sensitive sex
assess people.csv --qid , --sensitive income
assess {TABLE} --epsilon 0
assess {TABLE} --size-model poisson
assess {TABLE} --epsilon -1
assess {TABLE} --epsilon x
assess {TABLE} --epsilon inf
assess {TABLE} --epsilon 1,nan
assess {TABLE} --mechanism laplac
assess {TABLE} --mechanism gaussian-analytic
assess {TABLE} --mechanism gaussian --delta 0.1 --epsilon 2
assess {TABLE} --mechanism gaussian-analytic --delta 1
assess {TABLE} --mechanism gaussian-analytic --delta 0
assess {TABLE} --delta 0.1
assess {TABLE} --measure locl
assess {TABLE} --measure marginal --size-model poison
assess {TABLE} --alpha 1,2
assess {TABLE} --measure shrinkage --alpha 1
assess {TABLE} --measure shrinkage --alpha momentos
assess {TABLE} --measure shrinkage --alpha 0,1,1
assess {TABLE} --match some
assess {TABLE} --neighbours swap
assess {TABLE} --simulate 1.5
assess {TABLE} --simulate-seed -1 --simulate 2
assess {TABLE} --bins age=5
assess {TABLE} --bins age
assess {TABLE} --bins sex=x
assess people.csv --qid age --sensitive income --bins age=0
assess people.csv --qid age --sensitive income --bins age=-5
assess people.csv --qid age --sensitive income --bins 'age=40|20'
assess people.csv --qid age --sensitive income --bins age=q0
assess people.csv --qid sex --sensitive income --bins sex=5
assess {TABLE} --missing forget
assess {TABLE} --missing sex=drop --missing drop
assess {TABLE} --missing sexx=drop
assess {TABLE} --where agee>=18
assess {TABLE} --where sex
assess {TABLE} --where 'sex<f'
assess {TABLE} --where sex=q
assess {TABLE} --copy town
assess {TABLE} --copy sex=sex
assess {TABLE} --copy other=town
assess people.csv --qid sex,income --sensitive income
assess people.csv --qid age --sensitive income --bins 'age=[5]'
assess people.csv --qid age --sensitive income --bins 'age=(5'
assess {TABLE} --missing refuse
assess {TABLE} --unit persn
assess {TABLE} --unit person --max-rows 0
assess {TABLE} --unit person --max-rows x
assess {TABLE} --unit sex
assess {TABLE} --max-rows 2
assess {TABLE} --universe nowhere.json
assess {TABLE} --universe broken.json
assess {TABLE} --universe list.json
assess {TABLE} --universe narrow.json
assess {TABLE} --universe twice.json
assess {TABLE} --universe none.json
assess {TABLE} --universe backwards.json
assess {TABLE} --count n
assess counts.csv --qid sex --sensitive income --count bad
assess counts.csv --qid sex --sensitive income --count sex
assess counts.csv --qid sex --sensitive income --count n --unit sex
assess counts.csv --qid sex --sensitive income --count n --unit bad
assess {TABLE} --table people
assess sqlite:///nowhere.db --qid sex --sensitive income --table people
assess sqlite:///nowhere.db --qid sex --sensitive income
assess {TABLE} --plot risk.doc
assess {TABLE} --plot nowhere/risk.svg
assess {TABLE} --no-such-option
assess {TABLE} --axis rho
assess {TABLE} --axis delta
assess {TABLE} --axis delta --mechanism gaussian-analytic --epsilon-range 1:9
assess {TABLE} --delta-range 0.1:0.9
assess {TABLE} --epsilon-range 1
assess {TABLE} --epsilon-range 9:1 --json
assess {TABLE} --epsilon-range 0.1:9
assess {TABLE} --epsilon-range 0.5:9 --mechanism gaussian --delta 0.1 --json
assess {TABLE} --weighting rows
assess {TABLE} --weighting cells --unweighted
assess {TABLE} --axis both --knee --mechanism gaussian-analytic
cell --people 0
cell --people 1.5
cell --people 1e12
cell --labels 1
cell --labels 1e6
cell --counts 5
cell --counts 0,0
cell --counts 5,-1
cell --counts 5,0 --people 2
cell --counts 5,0 --axis people
cell --axis rho
cell --axis delta
cell --delta 0.1
cell --mechanism gaussian
cell --match all
cell --epsilon-range 0.1:5
cell --delta-range 0.1:0.5 --json
cell --people 1,2,3 --axis delta --mechanism gaussian-analytic --plot c.svg
cell --plot c.doc
demo --rows 0
demo --rows x
demo --rows 10 --epsilon 0
demo --rows 10 --measure locl
demo --rows 10 --people -1
demo --rows 10 --people -1 --write p.parquet
demo --rows 10 --write nowhere/p.parquet
knowledge
knowledge people.csv --qid sex
knowledge {TABLE} --share 0
knowledge {TABLE} --share 1.5
knowledge {TABLE} --share x
knowledge {TABLE} --largest-set 0
knowledge {TABLE} --largest-set 9
knowledge {TABLE} --largest-set x
knowledge {TABLE} --mechanism laplac
knowledge {TABLE} --epsilon 0
knowledge {TABLE} --delta 0.1
knowledge {TABLE} --mechanism gaussian-analytic
knowledge {TABLE} --neighbours all
knowledge {TABLE} --plot c.jpg
knowledge people.csv --qid sex --sensitive income,age
knowledge people.csv --qid a,b,c,d,e,f,g,h,i,j,k,l,m --sensitive income
utility
utility people.csv --qid sex
utility {TABLE} --ways 4
utility {TABLE} --ways 1.5
utility {TABLE} --ways x
utility {TABLE} --sanitised cells
utility {TABLE} --publish joint
utility people.csv --qid sex --sensitive income,age --publish apart
utility {TABLE} --budget all
utility {TABLE} --repetitions 1
utility {TABLE} --delta 0.1
utility {TABLE} --mechanism gaussian-analytic
utility {TABLE} --mechanism gaussian --delta 0.1 --epsilon 2
utility {TABLE} --seed -1
utility {TABLE} --plot risk.doc
utility {TABLE} --structural-zeros nowhere.json
assess {TABLE} --publish joint
assess people.csv --qid sex --sensitive income,age --budget all
assess people.csv --qid sex --sensitive income,age --publish joint --measure expected
assess people.csv --qid sex --sensitive income,age --publish joint --simulate 2
choose people.csv --qid sex --sensitive income,age --budget all --max-risk 0.3
choose people.csv --qid sex --sensitive income,age --publish separate --max-risk 0.3 --profile 3
choose people.csv --qid sex --sensitive income,age --publish separate --max-risk 0.3 --export opendp
choose {LEVELS} --publish separate --max-risk 0.9 --measure posterior
choose {TABLE}
choose {TABLE} --max-risk 0
choose {TABLE} --max-risk 2
choose {TABLE} --max-risk x
choose {TABLE} --max-risk nan
choose people.csv --max-risk 0.3
choose people.csv --max-risk 0.3 --qid sex
choose {TABLE} --max-risk 0.3 --max-people -1
choose {TABLE} --max-risk 0.3 --max-people 2 --aggregate mean
choose {TABLE} --max-risk 0.3 --aggregate q100x
choose {TABLE} --max-risk 0.3 --aggregate q0
choose {TABLE} --max-risk 0.3 --max-error 0
choose {TABLE} --max-risk 0.3 --profile 'max('
choose {TABLE} --max-risk 0.3 --profile 0.5
choose {TABLE} --max-risk 0.3 --profile 3 --rho
choose {TABLE} --max-risk 0.3 --mechanism discrete-gaussian
choose {TABLE} --max-risk 0.3 --rho
choose {TABLE} --max-risk 0.3 --mechanism discrete-gaussian --rho --delta 0.1
choose {TABLE} --max-risk 0.3 --delta 0.1
choose {TABLE} --max-risk 0.3 --attributes both
choose {TABLE} --max-risk 0.3 --attributes max
choose {TABLE} --max-risk 0.3 --prior 0.1
choose {TABLE} --max-risk 0.6 --measure posterior --prior 1
choose {TABLE} --max-risk 0.3 --attack single
choose {TABLE} --max-risk 0.3 --rare 2
choose {TABLE} --max-risk 0.3 --shares 1
choose {TABLE} --max-risk 0.3 --by sex
choose {TABLE} --max-risk 0.3 --codes unique
choose {TABLE} --max-risk 0.3 --against laplace
choose {TABLE} --max-risk 0.3 --against laplac
choose {TABLE} --max-risk 0.6 --measure posterior --levers
choose {TABLE} --max-risk 0.3 --chart risk
choose {TABLE} --max-risk 0.3 --chart rsk --plot r.svg
choose {TABLE} --max-risk 0.3 --script s.py
choose {TABLE} --max-risk 0.3 --round-down
choose {TABLE} --max-risk 0.3 --export diffprivlib
choose {TABLE} --max-risk 0.3 --export opendp --script nowhere/s.py
choose {TABLE} --max-risk 0.3 --epsilon 1
choose {TABLE} --max-risk 0.3 --epsilon 0 --mechanism gaussian-analytic
choose {TABLE} --max-risk 0.3 --epsilon 2 --mechanism gaussian
choose {TABLE} --max-risk 0.3 --epsilon 1 --mechanism gaussian-analytic --delta 0.1
choose {TABLE} --max-risk 0.3 --epsilon 1 --mechanism gaussian-analytic --export opendp
choose {TABLE} --epsilon 1 --mechanism gaussian-analytic
choose {TABLE} --max-risk 0.3 --delta-range 0.1:0.5
choose {LEVELS} --max-risk 0.6
choose {LEVELS} --max-risk 1.2 --measure posterior-ratio --qid sex
choose {LEVELS} --max-risk 1.2 --measure posterior-ratio --universe u.json
choose {LEVELS} --max-risk 1.2 --measure posterior-ratio --export opendp
choose {LEVELS} --max-risk 0.6 --measure posterior --attack tripple
choose {LEVELS} --max-risk 0.6 --measure posterior --codes unik
choose {LEVELS} --max-risk 0.6 --measure posterior --rare 0
choose {LEVELS} --max-risk 0.6 --measure posterior --shares 1
choose {LEVELS} --max-risk 0.6 --measure posterior --shares 1,0
choose {LEVELS} --max-risk 0.6 --measure posterior --missing forget
choose {LEVELS} --max-risk 0.6 --measure posterior --bins age=5
choose {LEVELS} --max-risk 0.6 --measure posterior --unit person --max-rows 2
choose {LEVELS} --max-risk 0.6 --measure posterior --max-rows 2
choose groups.csv --levels block,tract --max-risk 0.6 --measure posterior
choose groups.csv --levels blok,tract --by sex --max-risk 0.6 --measure posterior
choose groups.csv --levels block,block --by sex --max-risk 0.6 --measure posterior
choose unnested.csv --levels block,tract --by sex --max-risk 0.6 --measure posterior
choose groups.csv --levels block --by sex --max-risk 0.6 --measure posterior --attack two-level
choose groups.csv --levels block,tract --by age --bins age=5 --max-risk 0.6 --measure posterior
sequence nowhere.json
sequence broken.json
sequence list.json
sequence poor-plan.json
sequence idle-plan.json
sequence odd-plan.json
sequence zero-plan.json
sequence orphan-plan.json
sequence plan.json --match some
sequence plan.json --delta 0
sequence plan.json --delta x
sequence plan.json --plot x.doc
posterior single --noisy 1
posterior single --noisy x --rho 1
posterior single --noisy 1 --rho 0
posterior single --noisy 1 --rho 1 --epsilon 1
posterior single --noisy 1 --rho 1 --delta 0.1
posterior single --noisy 1 --epsilon 0
posterior single --noisy 1 --epsilon 1 --delta 0.1
posterior single --noisy 1 --epsilon 1 --mechanism gaussian-analytic
posterior single --noisy 1 --rho 1 --prior 1
posterior single --noisy 1 --rho 1 --known -1
posterior single --rho 1 --scenario gossip
posterior curve --from 0
posterior curve --from 2 --to 1
posterior curve --points 1
posterior curve --prior 2
posterior two-level --siblings 3 --rho 1,1
posterior two-level --siblings 0 --rho 1,1 --parent 1
posterior two-level --siblings 3 --rho 1 --parent 1
posterior two-level --siblings 3 --rho 1,-1 --parent 1
posterior two-level --siblings 3 --rho 1,1 --parent 1 --noisy 1
posterior two-level --siblings 3 --rho 1,1 --noisy 1
posterior two-level --siblings 3 --rho 1,1 --parent 1 --parent-prior flat
posterior levels
posterior levels --rho 1 --preset census-2020
posterior levels --rho 0
posterior levels --rho 1 --prior 0
posterior sequence --rho 1 --noisy 1,2
posterior sequence --rho 1 --known -1
posterior category --rho 1
posterior category --rho 0 --categories 3
posterior category --rho 1 --categories 1
posterior category --rho 1 --categories 3 --true 3
posterior category --rho 1 --prior 0.5,0.6
posterior category --rho 1 --noisy 1,2 --known 1
posterior postprocess --siblings 0
posterior postprocess --rho 0
posterior tree nowhere.json
posterior tree broken.json
posterior tree list.json
posterior tree lone.json
posterior tree poor.json
posterior tree strange.json
posterior tree tree.json --prior 0
posterior release {LEVELS}
posterior release {LEVELS} --rho 1
posterior release {LEVELS} --rho 1,0
posterior release {LEVELS} --rho 1,1 --attack x
posterior release {LEVELS} --rho 1,1 --codes x
posterior release {LEVELS} --rho 1,1 --rare 0
posterior release {LEVELS} --rho 1,1 --threshold x
posterior release {LEVELS} --rho 1,1 --bins age=5
posterior release {LEVELS} --rho 1,1 --missing forget
posterior release {LEVELS} --rho 1,1 --max-rows 2
posterior release {LEVELS} --rho 1,1 --unit person --max-rows 2
posterior release {LEVELS} --rho 1,1 --unit persn
posterior release groups.csv --levels block,tract --by age --rho 1,1 --bins age=5
posterior release groups.csv --levels block,tract --by age --rho 1,1 --bins age=q4
posterior census-2020 --delta 0
posterior census-2020 --delta 1
compare {TABLE} --k 2 --systems laplac
compare {TABLE} --k 2 --epsilon 0
compare {TABLE} --k 2 --epsilon ,
compare {TABLE} --k 2 --repetitions 0
compare {TABLE} --k 2 --repetitions 1.5
compare {TABLE} --k 0
compare {TABLE} --k 6
compare {TABLE} --k 2 --swap sexx
compare {TABLE} --k 2 --swapped-share 2
compare {TABLE} --k 2 --ordered sexx
compare {TABLE} --k 2 --hierarchy sex
compare {TABLE} --k 2 --hierarchy sex=nowhere.json
compare {TABLE} --k 2 --hierarchy sex=list.json
compare {TABLE} --k 2 --hierarchy sex=u.json
compare {TABLE} --k 2 --group sexx
compare {TABLE} --k 2 --equal-risk homogeneity
compare {TABLE} --k 2 --equal-risk homogenity=0.1
compare {TABLE} --k 2 --equal-risk homogeneity=0
compare {TABLE} --k 2 --prior 0
compare {TABLE} --k 2 --jobs 0
evaluate counts.csv
evaluate counts.csv --truth people.csv
evaluate counts.csv --truth people.csv --qid sex
evaluate counts.csv --truth people.csv --qid town --sensitive income --count n
evaluate counts.csv {TRUTH} --count m
evaluate counts.csv {TRUTH} --count bad
evaluate counts.csv {TRUTH} --count n --claimed laplce --epsilon 1
evaluate counts.csv {TRUTH} --count n --claimed laplace
evaluate counts.csv {TRUTH} --count n --claimed laplace --rho 1
evaluate counts.csv {TRUTH} --count n --claimed laplace --epsilon 0
evaluate counts.csv {TRUTH} --count n --claimed laplace --epsilon 1 --delta 0.1
evaluate counts.csv {TRUTH} --count n --claimed gaussian --epsilon 1 --delta 0.1
evaluate counts.csv {TRUTH} --count n --claimed gaussian-analytic --epsilon 1
evaluate counts.csv {TRUTH} --count n --claimed discrete-gaussian
evaluate counts.csv {TRUTH} --count n --claimed discrete-gaussian --epsilon 1 --delta 0.1 --rho 1
evaluate counts.csv {TRUTH} --count n --claimed discrete-laplace --epsilon 1 --rounded
evaluate counts.csv {TRUTH} --count n --claimed laplace --epsilon 1 --neighbours foes
evaluate counts.csv {TRUTH} --count n --epsilon 1
evaluate counts.csv {TRUTH} --count n --clipped
evaluate counts.csv {TRUTH} --count n --neighbours substitute
evaluate counts.csv {TRUTH} --count n --chart groups
evaluate counts.csv {TRUTH} --count n --chart pie --plot c.svg
evaluate counts.csv {TRUTH} --count n --chart noise --plot c.svg
evaluate counts.csv {TRUTH} --count n --plot c.pdf
evaluate counts.csv {TRUTH} --count n --seed -1
evaluate counts.csv {TRUTH} --count n --card card.json
evaluate counts.csv {TRUTH} --count n --card nowhere.json
evaluate counts.csv {TRUTH} --count n --card card.json --claimed laplace --epsilon 1
evaluate counts.csv {TRUTH} --count n --universe narrow.json
evaluate counts.csv {TRUTH} --count n --bins sex=q3
evaluate counts.csv {TRUTH} --count n --truth-count n
evaluate counts.csv {TRUTH} --count n --table people
evaluate counts.csv {TRUTH} --count n --truth-table people
evaluate counts.csv {TRUTH} --count n --published-where n
evaluate counts.csv {TRUTH} --count n --published-where nn=3
evaluate counts.csv {TRUTH} --count n --published-where sex=x
evaluate counts.csv {TRUTH} --count n --harmful income=hihg
evaluate nowhere.csv {TRUTH} --count n
evaluate empty.csv {TRUTH} --count n
evaluate people.csv {TRUTH} --count person
protect {TABLE} --out o.csv
protect {TABLE} --system suppression
protect {TABLE} --system supression --out o.csv
protect {TABLE} --system laplace --out o.csv
protect {TABLE} --system suppression --k 2 --out o.txt
protect {TABLE} --system suppression --k 2 --out people.csv --force
protect {TABLE} --system suppression --k 2 --out nowhere/o.csv
protect {TABLE} --system suppression --k 0 --out o.csv
protect {TABLE} --system suppression --k 6 --out o.csv
protect {TABLE} --system suppression --k 2 --base 5 --out o.csv
protect {TABLE} --system suppression --k 2 --seed 5 --out o.csv
protect {TABLE} --system suppression --k 2 --ordered sex --out o.csv
protect {TABLE} --system suppression --k 2 --max-suppressed 0.1 --out o.csv
protect {TABLE} --system rounding --base 1 --out o.csv
protect {TABLE} --system rounding --swapped-share 0.5 --out o.csv
protect {TABLE} --system swapping --swapped-share 2 --out o.csv
protect {TABLE} --system swapping --swap sexx --out o.csv
protect {TABLE} --system swapping --seed x --out o.csv
protect {TABLE} --system k-anonymity --k 2 --hierarchy sex --out o.csv
protect {TABLE} --system k-anonymity --k 2 --hierarchy sex=u.json --out o.csv
protect {TABLE} --system k-anonymity --k 2 --node sex=1 --out o.csv
protect {TABLE} --system k-anonymity-full-domain --k 2 --node sex --out o.csv
protect {TABLE} --system k-anonymity-full-domain --k 2 --node sex=9 --out o.csv
protect {TABLE} --system k-anonymity-full-domain --k 2 --node sexx=1 --out o.csv
protect {TABLE} --system k-anonymity-full-domain --k 2 --max-suppressed 2 --out o.csv
compare {TABLE} --k 2 --seed -1
compare {TABLE} --k 2 --unit person --max-rows 2
compare {TABLE} --k 2 --plot x.doc
sensitivity mean --n 0 --lower 0 --upper 1
sensitivity mean --n 10 --lower 1 --upper 0
sensitivity mean --n 10
sensitivity mean --lower 0 --upper 1
sensitivity mean --n 10 --lower 0 --upper inf
sensitivity mean --n 10 --lower 0 --upper 1 --neighbours swap
sensitivity variance --n 1 --lower 0 --upper 1 --neighbours substitute
sensitivity covariance --n 10 --lower 0,0 --upper 1
sensitivity pooled-variance --sizes 1,1 --lower 0 --upper 1
sensitivity pooled-variance --lower 0 --upper 1
sensitivity study --n 0
sensitivity study --epsilon 0
sensitivity study --method magic
sensitivity study --proportions 0.5,0.6
sensitivity study --repetitions 0
release people.csv
release people.csv --columns sex,income
release people.csv --columns sex,income --ledger b.db
release people.csv --columns sex,income --ledger b.db --account a
release {COUNTS}
release {COUNTS} --epsilon 0
release {COUNTS} --epsilon x
release {COUNTS} --epsilon 3
release {COUNTS} --rho 1
release {COUNTS} --epsilon 1 --rho 1
release {COUNTS} --epsilon 1 --delta 0.1
release {COUNTS} --epsilon 1 --delta 2 --mechanism discrete-gaussian
release {COUNTS} --epsilon 1 --mechanism discrete-gaussian
release {COUNTS} --epsilon 1 --mechanism laplace
release {COUNTS} --epsilon 1 --mechanism laplac
release {COUNTS} --epsilon 1 --total-epsilon 0
release {COUNTS} --epsilon 1 --total-epsilon -1
release {COUNTS} --epsilon 1 --total-rho 1
release {COUNTS} --epsilon 1 --total-delta 0
release {COUNTS} --epsilon 1 --total-delta 2
release {COUNTS} --epsilon 1 --composition zcdp
release {COUNTS} --epsilon 1 --composition magic
release {COUNTS} --epsilon 1 --wait -1
release {COUNTS} --epsilon 1 --confidence 1
release {COUNTS} --epsilon 1 --neighbours swap
release {COUNTS} --epsilon 1 --unit person
release {COUNTS} --epsilon 1 --max-rows 2
release {COUNTS} --epsilon 1 --max-rows 0
release {COUNTS} --epsilon 1 --sensitive age
release {COUNTS} --epsilon 1 --sensitive sex,income
release {COUNTS} --epsilon 1 --bins age=5
release {COUNTS} --epsilon 1 --bins sex=q4
release {COUNTS} --epsilon 1 --marginal age
release {COUNTS} --epsilon 1 --marginal sex --marginal sex
release {COUNTS} --epsilon 1 --marginal sex --shares 1,1
release {COUNTS} --epsilon 1 --marginal sex --shares 0
release {COUNTS} --epsilon 1 --shares 0.5,0.5
release {COUNTS} --epsilon 1 --levels age,sex
release {COUNTS} --epsilon 1 --levels sex,income --hierarchy income,sex
release {COUNTS} --epsilon 1 --levels sex,income --marginal sex
release {COUNTS} --epsilon 1 --threshold-delta 0.1
release {COUNTS} --epsilon 1 --threshold-delta 0
release {COUNTS} --epsilon 1 --structural-zeros zeros.json
release {COUNTS} --epsilon 1 --structural-zeros u.json
release {COUNTS} --epsilon 1 --universe none.json
release {COUNTS} --epsilon 1 --universe twice.json
release {COUNTS} --epsilon 1 --universe list.json
release {COUNTS} --epsilon 1 --out o.xlsx
release {COUNTS} --epsilon 1 --out nowhere/o.csv
release {COUNTS} --epsilon 1 --out u.json
release {COUNTS} --epsilon 1 --ledger notes.txt
release {COUNTS} --epsilon 1 --ledger nowhere/b.db
release {COUNTS} --epsilon 1 --count n
release {COUNTS} --epsilon 1 --table people
release people.csv --columns sex,income {PAID} --epsilon 1
release people.csv --columns sex,income {PAID} --epsilon 1 --threshold-delta 1e-6
release people.csv --columns sex,sex --universe u.json {PAID} --epsilon 1
release people.csv --columns sexx,income --universe u.json {PAID} --epsilon 1
release people.csv --columns sex,income --universe u.json --ledger b.db --account a --out o.csv --epsilon 1
release people.csv --columns sex,income --universe u.json --ledger b.db --account a --total-epsilon 2 --out o.csv
release-statistics people.csv
release-statistics people.csv {PAID}
release-statistics people.csv {PAID} --epsilon 1
release-statistics {MEAN}
release-statistics {MEAN} --epsilon 0
release-statistics {MEAN} --epsilon 1 --total-epsilon 0
release-statistics {MEAN} --epsilon 1 --total-rho 1
release-statistics {MEAN} --epsilon 1 --shares 1,1
release-statistics {MEAN} --epsilon 1 --shares x
release-statistics {MEAN} --epsilon 1 --neighbours swap
release-statistics {MEAN} --epsilon 1 --n 0
release-statistics {MEAN} --epsilon 1 --bounding clip
release-statistics {MEAN} --epsilon 1 --confidence 0
release-statistics {MEAN} --epsilon 1 --missing forget
release-statistics {MEAN} --epsilon 1 --where sex
release-statistics {MEAN} --epsilon 1 --where sex=f --neighbours substitute
release {COUNTS} --epsilon 1 --missing refuse
release {COUNTS} --epsilon 1 --where age
release {COUNTS} --epsilon 1 --where agee=3
release {COUNTS} --epsilon 1 --copy town
release-statistics {MEAN} --epsilon 1 --missing agee=1
release-statistics {MEAN} --epsilon 1 --missing age=x
release-statistics {MEAN} --epsilon 1 --missing age=200
release-statistics {MEAN} --epsilon 1 --missing exclude --neighbours substitute
release-statistics {MEAN} --epsilon 1 --unit person
release-statistics {MEAN} --epsilon 1 --bins age=5
release-statistics {MEAN} --epsilon 1 --bins age
release-statistics {MEAN} --epsilon 1 -s 'proportion age=1' --bins age=q4
release-statistics {MEAN} --epsilon 1 --max-rows 2
release-statistics {MEAN} --epsilon 1 --statistics nowhere.json
release-statistics {MEAN} --epsilon 1 --statistics statistics.json
release-statistics {MEAN} --epsilon 1 --statistics kinds.json
release-statistics {MEAN} --epsilon 1 --statistics u.json
release-statistics {MEAN} --epsilon 1 -s 'mean age=0:100'
release-statistics {MEAN} --epsilon 1 -s 'median age=0:100'
release-statistics {MEAN} --epsilon 1 -s 'mean age'
release-statistics {MEAN} --epsilon 1 -s 'mean age=100:0'
release-statistics {MEAN} --epsilon 1 -s 'mean age=a:b'
release-statistics {MEAN} --epsilon 1 -s 'mean agee=0:1'
release-statistics {MEAN} --epsilon 1 -s 'proportion sex'
release-statistics {MEAN} --epsilon 1 -s 'proportions sex=f|f'
release-statistics {MEAN} --epsilon 1 -s 'covariance age=0:100'
release-statistics {MEAN} --epsilon 1 -s 'pooled-variance age=0:100'
release-statistics people.csv -s 'mean age=0:100' {PAID} --epsilon 1
release-statistics people.csv -s 'mean age=0:100' --n 3 --ledger b.db --account a --out o.csv --epsilon 1
app --port 0
app --port 65536 --check
app --port here
app nowhere.toml --check
ledger show nowhere.db
ledger show notes.txt
ledger verify nowhere.db
ledger verify notes.txt --card card.json
ledger sweep nowhere.db
ledger shw b.db
reproduce P7
reproduce P3 --data nowhere
reproduce P3 --verdict flase
reproduce P3 --out people.csv
card verify nowhere.json
card verify card.json
card verify broken.json
card verify card.json --data people.csv
card verify card.json --ledger nowhere.db
"""

PYTHON = re.compile(
    r"\b[A-Za-z]+_\w+|PureDP|ApproxDP|ZCDP|ProbabilisticDP|ParameterError|\b\w+=(?=None|True|False|\[|\()|`"
    r"|\b(table|unit|count|columns|column|missing|mechanism|rho|epsilon|delta|neighbours|bins|attack|codes|prior)="
    r"|\bNone\b|\bTrue\b|\bFalse\b|internal error|Traceback|<\w+|\bself\b"
)
"""A word with an underscore, a class, a keyword argument, a value of Python, or markup that was not rendered."""


def mistakes() -> list[str]:
    return [line for line in MISTAKES.splitlines() if line]


def python_names(text: str, typed: str) -> list[str]:
    """What in a message is Python and was not typed by the user; a key of a project file was."""
    if typed.startswith("run "):
        typed += " max_risk max_risc"
    return [found[0] for found in PYTHON.finditer(text) if found[0] not in typed]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("line", mistakes())
def test_a_mistake_is_answered_in_one_line_without_a_name_of_python(run: Run, folder: Path, line: str) -> None:
    outcome = run(*shlex.split(line))
    assert (outcome.code, outcome.out) == (2, ""), outcome.err
    assert outcome.err.startswith("epsilens: ")
    assert outcome.err.count("\n") == 1, outcome.err
    assert python_names(outcome.err, line) == [], outcome.err
    assert sorted(path.name for path in folder.iterdir()) == sorted(FILES)
    assert all((folder / name).read_text() == text for name, text in FILES.items())


DATA_ALONE_KNOW = f"""
release {COUNTS} --epsilon 1 --universe narrow.json
release-statistics {MEAN} --epsilon 1 --missing-value 23
release-statistics {MEAN} --epsilon 1 -s 'proportion sex=f' --bins sex=5
release-statistics {MEAN} --epsilon 1 -s 'mean sex=0:1'
release-statistics {MEAN} --epsilon 1 -s 'pooled-variance age=0:100 by sex=f'
release-statistics people.csv -s 'mean income=0:100' --n 3 {PAID} --epsilon 1
"""
"""Declarations that these data do not fit. A release must not tell, so it is made; an assessment refuses."""


@pytest.mark.parametrize("line", [line for line in DATA_ALONE_KNOW.splitlines() if line])
def test_what_the_data_alone_know_is_not_a_mistake_of_a_release(run: Run, folder: Path, line: str) -> None:
    outcome = run(*shlex.split(line))
    assert (outcome.code, outcome.err) == (0, "")
    assert (folder / "o.internal.json").exists()


def test_every_command_has_mistakes_here() -> None:
    assert {line.split()[0] for line in mistakes()} == set(COMMANDS)


def test_the_guard_finds_python() -> None:
    assert python_names("give `rho` or PureDP(1), not quasi_identifiers=None", "--qid a") != []
    assert python_names("there is no column 'net_income'", "--qid net_income") == []
    assert python_names("--missing-value must not be empty; did you mean 'a'?", "") == []


@pytest.mark.parametrize("command", [f"release {COUNTS} --epsilon 1", f"release-statistics {MEAN} --epsilon 1"])
@pytest.mark.parametrize("option", ["--total-epsilon", "--total-rho"])
def test_a_total_of_zero_is_blamed_on_the_total(run: Run, folder: Path, command: str, option: str) -> None:
    total = command.replace("--total-epsilon 2", f"{option} 0")
    assert run(*shlex.split(total)).err == f"epsilens: {option} must be > 0, got 0\n"
