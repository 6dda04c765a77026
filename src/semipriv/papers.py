"""The five papers, by id."""

PAPERS = {
    "ABM19": "Limits of Private Learning with Access to Public Data",
    "BMN20": "Learning from Mixtures of Private and Public Populations",
    "BCM20": "Private Query Release Assisted by Public Data",
    "BNS15": "Learning Privately with Labeled and Unlabeled Examples",
    "BBD24": "Oracle-Efficient Differentially Private Learning with Public Data",
}
"""Title of each paper by its id."""
