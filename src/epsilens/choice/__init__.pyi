# The public names of this room and their homes: the one list, which `epsilens.lazy` reads too.

from epsilens.choice.assess_table import assess as assess
from epsilens.choice.beside.frontier import frontier_points as frontier_points
from epsilens.choice.beside.frontier import lever_effects as lever_effects
from epsilens.choice.beside.profile_mechanisms import profile_noise as profile_noise
from epsilens.choice.beside.profile_mechanisms import profile_rho as profile_rho
from epsilens.choice.beside.profiles import RiskProfile as RiskProfile
from epsilens.choice.beside.profiles import capped_profile as capped_profile
from epsilens.choice.beside.profiles import constant_profile as constant_profile
from epsilens.choice.beside.profiles import profile_budget as profile_budget
from epsilens.choice.beside.worst_case import WorstCase as WorstCase
from epsilens.choice.beside.worst_case import worst_case_of as worst_case_of
from epsilens.choice.choose.budget_choice import BudgetChoice as BudgetChoice
from epsilens.choice.choose.choosing import choose_budget as choose_budget
from epsilens.choice.choose.two_parameters import choose_delta as choose_delta
from epsilens.choice.choose.two_parameters import iso_risk as iso_risk
from epsilens.choice.comparison import Comparison as Comparison
from epsilens.choice.comparison import compare as compare
from epsilens.choice.curve import RiskCurve as RiskCurve
from epsilens.choice.curve import risk_curve as risk_curve
from epsilens.choice.publication import Publication as Publication
from epsilens.choice.publication import assess_publication as assess_publication
from epsilens.choice.questions.assess import Assessment as Assessment
