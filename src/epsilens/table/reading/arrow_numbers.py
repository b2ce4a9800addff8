"""Numbers of Arrow columns as NumPy arrays.

``to_numpy`` of Arrow imports pandas, whether or not anybody wants a data frame, and that takes a third of a second: as
long as reading a small table. Whole numbers and fractions without gaps need nothing but their memory.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt


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
