"""Problems in native code: classes that are compiled, and libraries in other languages.

Both go through the C interface ``include/nestor.h``; see docs/compiled.md.
"""

from nestor.foreign.compiled import compiled
from nestor.foreign.libraries import get_include, load_library

__all__ = ["compiled", "get_include", "load_library"]
