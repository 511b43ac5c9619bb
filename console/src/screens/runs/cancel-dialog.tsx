import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import type { FoundFilters } from '../../data/runs/found-runs.ts'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { Panel } from '../../parts/panel.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  filter: FoundFilters & { ids?: string[] }
  onClose: () => void
  onDone: () => void
}

const send = (filter: Props['filter'], expected: number, dry_run: boolean) =>
  api.call(allRoutes.cancelRuns, { body: { filter, expected, dry_run } })

/** Says how many runs an end is requested for, then requests it in parts. */
export function CancelDialog({ filter, onClose, onDone }: Props) {
  const t = useTexts().runs
  const counted = useQuery({
    queryKey: [allRoutes.cancelRuns.path, filter],
    queryFn: () => send(filter, 0, true),
    staleTime: 0,
    gcTime: 0,
  })
  const [done, setDone] = useState(0)
  const cancel = useMutation({
    mutationFn: async () => {
      let left = (counted.data?.left ?? 0) - done
      while (left > 0) {
        const answer = await send(filter, left, false)
        setDone((before) => before + answer.cancelled)
        left = answer.cancelled === 0 ? 0 : answer.left
      }
    },
    onSuccess: () => {
      onDone()
      onClose()
    },
  })
  return (
    <ConfirmDialog title={t.cancelTitle} act={t.cancelChosen} isDanger mutation={cancel} onClose={onClose}>
      <Panel query={counted} rows={1}>
        {({ left }) => (
          <>
            <p>{left === 0 ? t.noneGoesOn : t.cancelWhy(left)}</p>
            {done > 0 && <p role="status">{t.cancelledOf(done, left)}</p>}
          </>
        )}
      </Panel>
    </ConfirmDialog>
  )
}
