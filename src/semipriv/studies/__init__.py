"""Studies: each measures one claim or several, and finds their verdicts; a folder for each paper."""
