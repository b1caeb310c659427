"""The MCP server of the demo: what a team's continuous integration could tell, all of it made up."""

from typing import Any

from tests.pi.mcp_server import serve

Json = dict[str, Any]


def tool(name: str, description: str, **parameters: str) -> Json:
    """Give a tool whose parameters are texts with these descriptions."""
    properties = {key: {"type": "string", "description": words} for key, words in parameters.items()}
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": description, "inputSchema": schema}


ABOUT: Json = {"serverInfo": {"name": "ci", "version": "1"}, "instructions": "Jobs, their logs and past results."}
TOOLS = [
    tool(
        "test_history",
        "Past results of one test: each run with its outcome, runner and environment.",
        test="Dotted name of the test",
        days="How many days to look back",
    ),
    tool("job_log", "What one job printed.", job="Number of the job"),
    tool("upload_report", "Upload a test report to a job, so that it is shown there.", job="Number", path="The report"),
    tool("rerun_job", "Run one job again.", job="Number of the job"),
    tool("compare_timings", "Compare how long two jobs took, step by step.", before="A job", after="A later job"),
]
HISTORY = """\
61 runs of tests.test_upload.UploadTest.test_each_part_is_stored_once in 7 days, 6 failed
job 4127  linux-arm   failed   KESTREL_SEED unset
job 4119  linux-x86   failed   KESTREL_SEED unset
job 4098  macos       failed   KESTREL_SEED unset
job 4090  linux-x86   failed   KESTREL_SEED unset
job 4071  linux-arm   failed   KESTREL_SEED unset
job 4066  macos       failed   KESTREL_SEED unset
55 others passed, on the same runners
"""


def called(name: str, given: Json) -> Json:
    """Return a tool's result; only the history of a test is known."""
    known = name == "test_history"
    return {"content": [{"type": "text", "text": HISTORY if known else "nothing is known"}], "isError": not known}


if __name__ == "__main__":
    serve(ABOUT, TOOLS, called)
