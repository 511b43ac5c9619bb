import type { SecurityFinding } from '@sandbox-jobs/contract/resources/builds/security-finding.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readFindingsAgain } from '../../data/authoring/findings.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { ReasonField } from '../../parts/reason-field.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'

const dayMs = 24 * 60 * 60 * 1000
/** Days for which a finding is accepted; 0: until somebody revokes it. */
const choices = [30, 90, 365, 0] as const

/** Asks why a finding is accepted, and for how long. */
export function AcceptDialog({ finding, onClose }: { finding: SecurityFinding; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const [reason, setReason] = useState('')
  const [days, setDays] = useState<number>(choices[0])
  const [isTried, setIsTried] = useState(false)
  const isMissing = reason.trim() === ''
  const accept = useMutation({
    mutationFn: () =>
      api.call(allRoutes.createException, {
        params: { id: finding.environment_id, fid: finding.id },
        body: {
          reason,
          expires_at: days === 0 ? null : new Date(Date.now() + days * dayMs).toISOString(),
        },
      }),
    onSuccess: async () => {
      await readFindingsAgain(queries)
      onClose()
    },
  })
  const mutate = () => {
    setIsTried(true)
    if (!isMissing) accept.mutate()
  }
  return (
    <ConfirmDialog
      title={t.scans.acceptNamed(finding.rule)}
      act={t.scans.accept}
      mutation={{ mutate, isPending: accept.isPending, error: accept.error }}
      onClose={onClose}
    >
      <p>
        <TenantText text={finding.title} />
      </p>
      <ReasonField
        value={reason}
        error={isTried && isMissing ? t.scans.noReason : undefined}
        onValue={setReason}
      />
      <Field label={t.scans.time}>
        {(tied) => (
          <select {...tied} value={days} onChange={(event) => setDays(Number(event.target.value))}>
            {choices.map((each) => (
              <option key={each} value={each}>
                {each === 0 ? t.scans.untilRevoked : t.scans.days(each)}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ConfirmDialog>
  )
}
