import { plainText } from '@sandbox-jobs/contract/plain-text.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readTasksAgain } from '../../data/authoring/tasks.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import type { ShareTarget } from './share-targets.ts'

interface Props {
  taskId: string
  targets: readonly ShareTarget[]
  onClose: () => void
}

/** Shares a task with a room, a department or the company. */
export function ShareForm({ taskId, targets, onClose }: Props) {
  const t = useTexts()
  const queries = useQueryClient()
  const [at, setAt] = useState(0)
  const target = targets[at]
  const share = useMutation({
    mutationFn: async () => {
      if (target === undefined) return
      const { target_kind, target_id } = target
      await api.call(allRoutes.createShare, { params: { id: taskId }, body: { target_kind, target_id } })
    },
    onSuccess: async () => {
      await readTasksAgain(queries)
      onClose()
    },
  })
  if (target === undefined) {
    return (
      <Dialog title={t.tasks.share} onClose={onClose}>
        <p>{t.tasks.noTarget}</p>
      </Dialog>
    )
  }
  return (
    <ConfirmDialog title={t.tasks.share} act={t.tasks.share} mutation={share} onClose={onClose}>
      <Field label={t.tasks.shareWith} help={t.tasks.shareHelp}>
        {(tied) => (
          <select {...tied} value={at} onChange={(event) => setAt(Number(event.target.value))}>
            {targets.map(({ target_kind, target_id, name }, index) => (
              <option key={`${target_kind} ${target_id}`} value={index}>
                {`${t.tasks.targets[target_kind]} ${plainText(name)}`}
              </option>
            ))}
          </select>
        )}
      </Field>
    </ConfirmDialog>
  )
}
