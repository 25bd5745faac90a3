#!/usr/bin/env python3
"""The folders depend on each other in one direction only.

Reads the order from docs/architecture.md (the block after "may include"), so that the document cannot
drift from the code, and checks every #include "..." of src/, tools/ and examples/ against it.
"""
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else ".")


def read_order():
    text = (root / "docs/architecture.md").read_text()
    block = re.search(r"may include.*?```\n(.*?)```", text, re.S)
    return [line.split()[0] for line in block.group(1).splitlines() if line.strip()]


def check(order):
    errors = []
    files = 0
    for folder in sorted((root / "src").iterdir()):
        if folder.name not in order:
            errors.append(f"src/{folder.name} is not in the order of docs/architecture.md")
            continue
        allowed = order[: order.index(folder.name) + 1]
        for path in sorted(folder.glob("*.[ch]")):
            files += 1
            for name in re.findall(r'#include\s+"([^"]+)"', path.read_text()):
                target = name.split("/")[0]
                if name != "pipedp.h" and target not in allowed:
                    errors.append(f"{path.relative_to(root)} includes {name}; {folder.name} may not depend on {target}")
    for folder in ["tools/pipedp", "examples"]:
        own = {p.name for p in (root / folder).glob("*.h")} | {"pipedp.h"}
        for path in sorted((root / folder).glob("*.[ch]")):
            files += 1
            for name in re.findall(r'#include\s+[<"]([^">]+)[">]', path.read_text()):
                if name.split("/")[0] in order or (f'"{name}"' in path.read_text() and name not in own):
                    errors.append(f"{path.relative_to(root)} includes {name}; it may use pipedp.h alone")
    return files, errors


files, errors = check(read_order())
print(f"{files} files, {len(errors)} errors")
print("\n".join(errors))
sys.exit(1 if errors or files < 20 else 0)
