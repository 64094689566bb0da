"""Learning platforms, such as Moodle and Canvas, that open the site and get grades (LTI 1.3 Advantage).

registrations, dynamic_registration   an owner makes a platform known, by hand or by the platform
keys, platform_keys                   our key pairs, and the public keys of a platform
messages, claims                      signed messages: checked, and what they say as a typed record
logins, launches                      a person comes from a platform, until a page is opened
people, courses                       their account and roster place; the cohorts of a course there
deep_linking                          a teacher chooses the assignment that a link opens
platform_requests, access_tokens      requests to a platform, with a token for its services
"""
