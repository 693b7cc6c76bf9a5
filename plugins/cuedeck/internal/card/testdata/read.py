"""Reads cards with PyYAML. Takes a JSON file of changes, prints one line for each that it reads otherwise."""
import datetime
import json
import re
import sys

import yaml


def front(text):
    text = text.removeprefix("\ufeff")
    m = re.match(r"---[ \t]*\r?\n(.*?)^(?:---|\.\.\.)[ \t]*\r?$", text, re.S | re.M)
    return yaml.safe_load(m.group(1)) or {} if m else {}


def said(value):
    return [str(v) for v in value] if isinstance(value, list) else value


read = 0
for i, e in enumerate(json.load(open(sys.argv[1], encoding="utf-8", newline=""))):
    try:
        before = front(e["text"])
    except yaml.YAMLError:
        continue  # PyYAML knows less of what was there than goccy: nothing to compare
    read += 1
    try:
        after = front(e["after"])
    except yaml.YAMLError as err:
        print(f"change {i}: {e['key']} cannot be read: {err}\n{e['after']!r}")
        continue
    key = e["key"]
    got = after.pop(key, None)
    before.pop(key, None)
    if e["list"] is not None:
        if sorted(said(got) or []) != sorted(e["list"]):
            print(f"change {i}: {key} is {got!r}, not {e['list']!r}\n{e['after']!r}")
    elif key == "updated":
        if not isinstance(got, datetime.datetime):
            print(f"change {i}: {key} is {got!r}, no time")
    elif got != (e["want"] or None):
        print(f"change {i}: {key} is {got!r}, not {e['want']!r}\n{e['after']!r}")
    if after != before:
        print(f"change {i}: {key} changed others: {before!r} {after!r}")
print(read, "read")
