"""Pushes that are submissions: linked branches, signed webhooks, bursts, and the answer on the commit.

webhook -> receiving.py stores the push -> hand_in.py submits it after a quiet period
        -> commit_answers.py answers on the commit, anew whenever what the student may see changes
"""
