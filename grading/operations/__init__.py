"""Operations of an organization's audits, metrics and health checks."""
