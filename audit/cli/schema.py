"""`audit schema`: the shape of the files that this tool reads and writes, for editors and other programs."""

from __future__ import annotations

from typing import Annotated

import typer

from audit.cli.app import app, say
from audit.errors import AuditError, Exit

FILES = ("claim", "audit")


@app.command("schema")
def schema_command(
    of: Annotated[str, typer.Argument(metavar="claim|audit", help="A claim file, or audit.json.")],
    markdown: Annotated[
        bool, typer.Option("--markdown", help="As a page to read: docs/claim-file.md, docs/audit-json.md.")
    ] = False,
) -> int:
    """Print the JSON Schema of claim files or of audit.json."""
    import json

    if of not in FILES:
        raise AuditError(f"{of!r} has no schema; known are {' and '.join(FILES)}")
    if of == "claim":
        from audit.claims.load import json_schema
        from audit.schema_pages import claim_markdown

        say(
            claim_markdown().rstrip("\n")
            if markdown
            else json.dumps(json_schema(), indent=2, ensure_ascii=False)
        )
        return Exit.OK
    from audit.schema_pages import audit_markdown, audit_schema

    say(audit_markdown().rstrip("\n") if markdown else json.dumps(audit_schema(), indent=2))
    return Exit.OK
