"""What holds for all tests: PyTorch leaves the tile unit (AMX) of a processor alone.

Virtual machines may show that unit and refuse it, and then every half precision product of PyTorch
fails with "could not create a primitive", its own `Linear` first of all.
"""

import os

os.environ.setdefault("ONEDNN_MAX_CPU_ISA", "AVX512_CORE_FP16")
