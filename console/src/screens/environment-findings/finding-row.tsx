import type { SecurityFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readFindingsAgain } from '../../data/authoring/findings.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Moment } from '../../parts/moment.tsx'
import { StateBadge } from '../../parts/state-badge.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { AcceptDialog } from './accept-dialog.tsx'
import styles from './findings.module.css'
import { SeverityBadge } from './severity-badge.tsx'

/** A finding with what can be done about it: a version of the package without it, or to accept it for a time. */
export function FindingRow({ finding }: { finding: SecurityFinding }) {
  const t = useTexts()
  const { exception, state } = finding
  const canAccept = state === 'discovered' || state === 'reappeared'
  return (
    <li>
      <div className={styles.head}>
        <SeverityBadge severity={finding.severity} />
        <span className={styles.name}>
          <code>{finding.rule}</code> <TenantText text={finding.subject} />
        </span>
        <StateBadge machine="security_finding" state={state} />
        {canAccept && <Accept finding={finding} />}
        {exception && <Revoke finding={finding} exceptionId={exception.id} />}
      </div>
      <p>
        <TenantText text={finding.title} />
      </p>
      <p className={styles.soft}>
        {finding.installed_version !== '' && (
          <TenantText text={t.scans.versions(finding.installed_version, finding.fixed_version)} />
        )}{' '}
        {t.scans.firstSeen} <Moment at={finding.first_seen_at} />
      </p>
      {exception && (
        <p className={styles.soft}>
          {t.scans.accepted} <TenantText text={exception.reason} />{' '}
          {exception.expires_at && (
            <>
              {t.scans.until} <Moment at={exception.expires_at} />
            </>
          )}
        </p>
      )}
    </li>
  )
}

function Accept({ finding }: { finding: SecurityFinding }) {
  const t = useTexts()
  const [isAsked, setIsAsked] = useState(false)
  return (
    <>
      <Button label={t.scans.acceptNamed(finding.rule)} onPress={() => setIsAsked(true)}>
        {t.scans.accept}
      </Button>
      {isAsked && <AcceptDialog finding={finding} onClose={() => setIsAsked(false)} />}
    </>
  )
}

function Revoke({ finding, exceptionId }: { finding: SecurityFinding; exceptionId: string }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [isAsked, setIsAsked] = useState(false)
  const revoke = useMutation({
    mutationFn: () =>
      api.call(allRoutes.revokeException, { params: { id: finding.environment_id, xid: exceptionId } }),
    onSuccess: () => readFindingsAgain(queries),
  })
  return (
    <>
      <Button label={t.scans.revokeNamed(finding.rule)} onPress={() => setIsAsked(true)}>
        {t.scans.revoke}
      </Button>
      {isAsked && (
        <ConfirmDialog
          title={t.scans.revokeNamed(finding.rule)}
          act={t.scans.revoke}
          mutation={revoke}
          onClose={() => setIsAsked(false)}
        >
          <p>{t.scans.revokeWhy}</p>
        </ConfirmDialog>
      )}
    </>
  )
}
