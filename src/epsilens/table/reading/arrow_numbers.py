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
    plain = pa.types.is_integer(array.type) or pa.types.is_floating(array.type)
    if plain and array.null_count == 0 and len(array):
        return np.asarray(np.from_dlpack(array))
    found: npt.NDArray[Any] = array.to_numpy(zero_copy_only=False)
    return found
