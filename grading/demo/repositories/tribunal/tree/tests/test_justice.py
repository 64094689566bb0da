from tribunal.justice import decide
from tribunal.state import Criterion, Evidence, JudicialOpinion

SAFETY = Criterion(id="safety", name="Safe tools", question="?")
GRAPH = Criterion(id="graph", name="Orchestration", question="?", is_architecture=True)


def opinions(criterion, prosecutor, defense, tech_lead):
    scores = {"Prosecutor": prosecutor, "Defense": defense, "TechLead": tech_lead}
    return [
        JudicialOpinion(judge=judge, criterion_id=criterion.id, score=score, argument="Because.", cited_evidence=["e1"])
        for judge, score in scores.items()
    ]


def test_confirmed_security_evidence_caps_at_three():
    evidence = {"e1": Evidence(id="e1", goal="Nothing reaches a shell", found=True, location="a.py:1", is_security=True)}
    ruling = decide(SAFETY, opinions(SAFETY, 4, 5, 5), evidence)
    assert (ruling.score, ruling.rules) == (3, ["security_override"])


def test_praise_for_what_is_not_there_is_overruled():
    evidence = {"e1": Evidence(id="e1", goal="A join", found=False, location="a.py")}
    ruling = decide(SAFETY, opinions(SAFETY, 2, 4, 2), evidence)
    assert (ruling.score, ruling.rules) == (2, ["fact_supremacy"])


def test_the_tech_lead_decides_on_architecture():
    evidence = {"e1": Evidence(id="e1", goal="A join", found=True, location="a.py:3")}
    ruling = decide(GRAPH, opinions(GRAPH, 3, 5, 4), evidence)
    assert (ruling.score, ruling.rules) == (4, ["functionality_weight"])


def test_a_wide_spread_is_looked_at_again_and_explained():
    evidence = {"e1": Evidence(id="e1", goal="A join", found=True, location="a.py:3")}
    ruling = decide(SAFETY, opinions(SAFETY, 1, 5, 4), evidence)
    assert "variance_re_evaluation" in ruling.rules
    assert "Prosecutor gave 1" in ruling.dissent
