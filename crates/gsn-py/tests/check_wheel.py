"""What a wheel must be, looked at from outside: `python check_wheel.py graphgsn-….whl`.

Small, for every Python from 3.10 on, linked with the C library alone, in need of numpy alone, with its licences and
types.
"""

from __future__ import annotations

import struct
import sys
import zipfile
from email.message import Message
from email.parser import Parser
from pathlib import Path

#: Largest wheel, in bytes.
LARGEST = 15_000_000

#: Libraries that every Linux has.
USUAL = {"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libpthread.so.0", "libdl.so.2", "librt.so.1"}
LOADER = "ld-linux"


def needed(library: bytes) -> list[str]:
    """The shared libraries that a 64-bit ELF file asks for (its DT_NEEDED entries)."""
    if library[:6] != b"\x7fELF\x02\x01":
        raise ValueError("not a 64-bit little-endian ELF file")
    (headers,) = struct.unpack_from("<Q", library, 0x20)
    size, number = struct.unpack_from("<HH", library, 0x36)
    segments = [struct.unpack_from("<IIQQQQQQ", library, headers + at * size) for at in range(number)]

    def place(address: int) -> int:
        for kind, _, offset, start, _, length, _, _ in segments:
            if kind == 1 and start <= address < start + length:
                return int(offset + address - start)
        raise ValueError(f"the address {address:#x} is in no segment")

    entries: list[tuple[int, int]] = []
    for kind, _, offset, _, _, length, _, _ in segments:
        if kind == 2:
            entries = [struct.unpack_from("<qQ", library, at) for at in range(offset, offset + length, 16)]
    ends = [at for at, (tag, _) in enumerate(entries) if tag == 0]
    entries = entries[: ends[0]] if ends else entries
    names = place(dict(entries)[5])
    found = [names + value for tag, value in entries if tag == 1]
    return [library[at : library.index(b"\0", at)].decode() for at in found]


def faults(path: Path) -> list[str]:
    """Everything that is wrong with a wheel, one sentence each."""
    wrong = []
    if path.stat().st_size >= LARGEST:
        wrong.append(f"it has {path.stat().st_size} bytes; at most {LARGEST} were promised")
    if "-cp310-abi3-" not in path.name:
        wrong.append(f"{path.name} is not for every Python from 3.10 on")
    with zipfile.ZipFile(path) as wheel:
        names = wheel.namelist()
        folder = next(name.split("/")[0] for name in names if name.endswith(".dist-info/METADATA"))
        metadata = Parser().parsestr(wheel.read(f"{folder}/METADATA").decode())
        libraries = [name for name in names if name.endswith(".so")]
        if len(libraries) != 1:
            wrong.append(f"it holds the libraries {libraries} instead of one")
        for name in libraries:
            strange = [lib for lib in needed(wheel.read(name)) if lib not in USUAL and LOADER not in lib]
            if strange:
                wrong.append(f"{name} needs {', '.join(strange)}")
    wrong += [f"{name} is missing" for name in ("gsn/py.typed", "gsn/_gsn.pyi") if name not in names]
    for licence in ("LICENSE-MIT", "LICENSE-APACHE", "NOTICE.md"):
        if f"{folder}/licenses/{licence}" not in names:
            wrong.append(f"{licence} is missing")
    return wrong + _metadata_faults(metadata)


def _metadata_faults(metadata: Message) -> list[str]:
    wrong = []
    always = [text for text in metadata.get_all("Requires-Dist", []) if "extra ==" not in text]
    if len(always) != 1 or not always[0].startswith("numpy"):
        wrong.append(f"it requires {always} instead of numpy alone")
    extras = set(metadata.get_all("Provides-Extra", []))
    if not {"pyg", "spark", "ray", "arrow", "chem"} <= extras:
        wrong.append(f"its extras are {sorted(extras)}")
    if metadata["Requires-Python"] != ">=3.10":
        wrong.append(f"it is for Python {metadata['Requires-Python']}")
    if not str(metadata.get_payload()).startswith("# graphgsn"):
        wrong.append("it has no README")
    return wrong


if __name__ == "__main__":
    found = faults(Path(sys.argv[1]))
    print("\n".join(found))
    sys.exit(bool(found))
