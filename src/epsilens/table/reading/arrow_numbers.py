"""Numbers of Arrow columns, and texts as numbers, as NumPy arrays.

``to_numpy`` of Arrow imports pandas, whether or not anybody wants a data frame, and that takes a third of a second: as
long as reading a small table. Whole numbers and fractions without gaps need nothing but their memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import IntArray


def numbers_of(column: Any) -> npt.NDArray[Any]:
    """The values of an Arrow column, chunked or not; not to be written to, since they may be the column's own."""
    import pyarrow as pa

    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if array.null_count == 0:
        if pa.types.is_boolean(array.type):
            return numbers_of(array.cast(pa.uint8())).astype(bool)
        if pa.types.is_integer(array.type) or pa.types.is_floating(array.type):
            if len(array) == 0:  # has no memory to look at
                kind = "u" if pa.types.is_unsigned_integer(array.type) else "i"
                kind = "f" if pa.types.is_floating(array.type) else kind
                return np.empty(0, dtype=f"{kind}{array.type.bit_width // 8}")
            return np.asarray(np.from_dlpack(array))
    found: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return found


def levels_and_codes(column: Any) -> tuple[tuple[str, ...], IntArray]:
    """The distinct texts of a chunked Arrow column by code point, and the position of each of its values among them.

    Only the distinct ones become texts of Python.
    """
    encoded = column.combine_chunks().dictionary_encode()
    found = encoded.dictionary.to_pylist()
    order = sorted(range(len(found)), key=found.__getitem__)
    rank = np.empty(len(found), dtype=np.int64)
    rank[order] = np.arange(len(found))
    return tuple(found[i] for i in order), rank[numbers_of(encoded.indices)]
