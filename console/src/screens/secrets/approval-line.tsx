import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { approvalsOf, type Consumer, readSecretsAgain } from '../../data/rooms/secrets.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { Panel } from '../../parts/panel.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { approvalFor, slotSetHash } from './job-slots.ts'
import styles from './secrets.module.css'

interface Props {
  item: MenuItem
  consumer: Consumer
  /** The slots for which the version needs an approval. */
  slotNames: readonly string[]
}

/** Whether the version that the room offers may use the values, and the act that lets it or no longer does. */
export function ApprovalLine({ item, consumer, slotNames }: Props) {
  const { task_id, task_version_id } = item
  const approval = useQuery({
    ...approvalsOf(task_id, task_version_id),
    enabled: slotNames.length > 0,
  })
  const hash = useQuery({
    queryKey: ['slot-set', ...slotNames],
    queryFn: () => slotSetHash(slotNames),
    staleTime: Number.POSITIVE_INFINITY,
  })
  if (slotNames.length === 0) return null
  return (
    <Panel query={hash} rows={1}>
      {(slots) => (
        <Panel query={approval} rows={1}>
          {(approvals) => {
            const counting = approvalFor(approvals, consumer, slots)
            return counting ? (
              <Approved id={counting.id} item={item} />
            ) : (
              <NotApproved item={item} consumer={consumer} slotNames={slotNames} />
            )
          }}
        </Panel>
      )}
    </Panel>
  )
}

function NotApproved({ item, consumer, slotNames }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const [isAsked, setIsAsked] = useState(false)
  const approve = useMutation({
    mutationFn: () =>
      api.call(allRoutes.createSecretApproval, {
        body: {
          ...consumer,
          task_id: item.task_id,
          task_version_id: item.task_version_id,
          task_version_digest: item.task_version_digest,
          slot_names: [...slotNames],
          risk_accepted: true,
        },
      }),
    onSuccess: () => readSecretsAgain(queries),
  })
  return (
    <ToneBox
      tone="warning"
      icon="warning"
      action={<Button onPress={() => setIsAsked(true)}>{t.secrets.approve}</Button>}
    >
      <p>{t.secrets.notApproved(item.version_number)}</p>
      {isAsked && (
        <ConfirmDialog
          title={t.secrets.approveVersion(item.version_number)}
          act={t.secrets.approve}
          mutation={approve}
          onClose={() => setIsAsked(false)}
        >
          <p>{t.secrets.approveWhy(item.version_number, slotNames.join(', '))}</p>
        </ConfirmDialog>
      )}
    </ToneBox>
  )
}

function Approved({ id, item }: { id: string; item: MenuItem }) {
  const t = useTexts()
  const queries = useQueryClient()
  return (
    <div className={styles.approved}>
      <p>{t.secrets.approved(item.version_number)}</p>
      <FinalAct
        act={t.secrets.withdraw}
        title={t.secrets.withdraw}
        why={t.secrets.withdrawWhy}
        run={() => api.call(allRoutes.revokeSecretApproval, { params: { id } })}
        onDone={() => readSecretsAgain(queries)}
      />
    </div>
  )
}
