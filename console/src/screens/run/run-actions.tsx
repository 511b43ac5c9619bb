import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { lazy, Suspense, useState } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { addressOf, api } from '../../data/api/api.ts'
import { useRoom } from '../../data/rooms/rooms.ts'
import { runOf } from '../../data/runs/runs.ts'
import links from '../../parts/button.module.css'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { FinalAct } from '../../parts/final-act.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { hasEnded } from './tabs.ts'

const ShareDialog = lazy(() => import('./share-dialog.tsx'))

/** The acts that are possible on the run now. */
export function RunActions({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const [isSharing, setIsSharing] = useState(false)
  const isEnded = hasEnded(run.status)
  useAction('share', () => setIsSharing(true), isEnded)
  return (
    <>
      {isEnded ? <RunAgain run={run} /> : <CancelRun run={run} />}
      {isEnded && (
        <>
          <Button icon="share" keys={keysOf('share')} onPress={() => setIsSharing(true)}>
            {t.run.share}
          </Button>
          <LinkButton
            icon="download"
            href={addressOf(allRoutes.downloadRunFiles, { params: { cid: run.chatroom_id, rid: run.id } })}
          >
            {t.run.download}
          </LinkButton>
          <DeleteContent run={run} />
        </>
      )}
      <Suspense>{isSharing && <ShareDialog run={run} onClose={() => setIsSharing(false)} />}</Suspense>
    </>
  )
}

/** For who manages the room. */
function DeleteContent({ run: { chatroom_id: cid, id: rid } }: { run: ExtendedRun }) {
  const t = useTexts().run
  const queries = useQueryClient()
  if (!useRoom(cid)?.manages) return null
  return (
    <FinalAct
      icon="trash"
      act={t.deleteContent}
      title={t.deleteContent}
      why={t.deleteContentWhy}
      run={() => api.call(allRoutes.deleteRunContent, { params: { cid, rid } })}
      onDone={() => queries.invalidateQueries()}
    />
  )
}

function CancelRun({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const queries = useQueryClient()
  const params = { cid: run.chatroom_id, rid: run.id }
  const cancel = useMutation({
    mutationFn: () => api.call(allRoutes.cancelRun, { params }),
    onSuccess: () => queries.invalidateQueries(runOf(params)),
  })
  useAction('cancelRun', () => cancel.mutate())
  return (
    <>
      <Button
        icon="stop"
        keys={keysOf('cancelRun')}
        isBusy={cancel.isPending}
        onPress={() => cancel.mutate()}
      >
        {run.status === 'cancel_requested' ? t.run.cancelNow : t.run.cancel}
      </Button>
      {cancel.error && <ErrorBox error={cancel.error} />}
    </>
  )
}

function RunAgain({ run }: { run: ExtendedRun }) {
  const t = useTexts()
  const navigate = useNavigate()
  // A repeated press, or a repeated request, makes no second run.
  const [idempotencyKey] = useState(() => crypto.randomUUID())
  const again = useMutation({
    mutationFn: () =>
      api.call(allRoutes.retryRun, { params: { cid: run.chatroom_id, rid: run.id }, idempotencyKey }),
    onSuccess: ({ chatroom_id: cid, id: rid }) =>
      navigate({ to: '/chatrooms/$cid/runs/$rid', params: { cid, rid } }),
  })
  useAction('runAgain', () => again.mutate())
  return (
    <>
      <Button icon="retry" keys={keysOf('runAgain')} isBusy={again.isPending} onPress={() => again.mutate()}>
        {t.run.again}
      </Button>
      <Link
        className={links.button}
        to="/chatrooms/$cid/run/$taskId"
        params={{ cid: run.chatroom_id, taskId: run.task_id }}
        search={{ again: run.id }}
      >
        {t.run.againWith}
      </Link>
      {again.error && <ErrorBox error={again.error} />}
    </>
  )
}
