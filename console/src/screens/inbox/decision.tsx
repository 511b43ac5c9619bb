import type { Proposal } from '@sandbox-jobs/contract/resources/agents/proposal.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { keysOf, useAction } from '../../app/actions.ts'
import { api, connection } from '../../data/api/api.ts'
import { proposalOf, readInboxAgain } from '../../data/person/inbox.ts'
import { useStore } from '../../data/store.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './inbox.module.css'

/**
 * Confirms or rejects what an agent proposed. A confirmation is a message of the person in the room, which is the later turn
 * that starts the run.
 */
export function Decision({ proposal }: { proposal: Proposal }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const isUp = useStore(connection.state).isUp
  const params = { pid: proposal.id }
  const { queryKey } = proposalOf(proposal.id)
  const confirm = useMutation({
    mutationFn: () => api.call(allRoutes.confirmProposal, { params }),
    onSuccess: async (decided) => {
      queries.setQueryData(queryKey, decided)
      if (decided.run_id === null) return
      await navigate({
        to: '/chatrooms/$cid/runs/$rid',
        params: { cid: decided.chatroom_id, rid: decided.run_id },
      })
    },
    onSettled: () => readInboxAgain(queries),
  })
  const reject = useMutation({
    mutationFn: () => api.call(allRoutes.rejectProposal, { params }),
    onSuccess: (decided) => queries.setQueryData(queryKey, decided),
    onSettled: () => readInboxAgain(queries),
  })
  const isBusy = confirm.isPending || reject.isPending
  const start = () => {
    if (!isBusy && isUp) confirm.mutate()
  }
  useAction('submit', start)
  const disabledWhy = isUp ? undefined : t.offlineWhy
  const error = confirm.error ?? reject.error
  return (
    <>
      <p>{t.inbox.confirmWhy}</p>
      {error && <ErrorBox error={error} />}
      <div className={styles.acts}>
        <Button
          kind="filled"
          icon="play"
          keys={keysOf('submit')}
          isBusy={isBusy}
          disabledWhy={disabledWhy}
          onPress={start}
        >
          {t.inbox.confirm}
        </Button>
        <Button icon="close" isBusy={isBusy} disabledWhy={disabledWhy} onPress={() => reject.mutate()}>
          {t.inbox.reject}
        </Button>
      </div>
    </>
  )
}
