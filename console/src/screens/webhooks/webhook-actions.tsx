import type { Webhook } from '@sandbox-jobs/contract/resources/notifications/webhook.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readWebhooksAgain } from '../../data/company/webhooks.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { SigningSecret } from './signing-secret.tsx'

/** Tests, pauses, resumes and removes a webhook, and makes another secret. */
export function WebhookActions({ webhook }: { webhook: Webhook }) {
  const t = useTexts()
  const queries = useQueryClient()
  const navigate = useNavigate()
  const [asked, setAsked] = useState<'rotate' | 'remove'>()
  const close = () => setAsked(undefined)
  const params = { wid: webhook.id }
  const isPaused = webhook.paused_at !== null
  const change = useMutation({
    mutationFn: (act: () => Promise<unknown>) => act(),
    onSuccess: () => readWebhooksAgain(queries),
  })
  const test = () => change.mutate(() => api.call(allRoutes.testWebhook, { params }))
  const pause = () =>
    change.mutate(() => api.call(allRoutes.updateWebhook, { params, body: { paused: !isPaused } }))
  const rotate = useMutation({
    mutationFn: () => api.call(allRoutes.rotateWebhookSecret, { params }),
    onSuccess: close,
    gcTime: 0,
  })
  const remove = useMutation({
    mutationFn: () => api.call(allRoutes.deleteWebhook, { params }),
    onSuccess: async () => {
      await navigate({ to: '/company/webhooks' })
      await readWebhooksAgain(queries)
    },
  })
  return (
    <section className={styles.part}>
      {rotate.data && <SigningSecret made={rotate.data} />}
      {change.error && <ErrorBox error={change.error} />}
      <div className={styles.acts}>
        {!isPaused && (
          <Button icon="share" isBusy={change.isPending} onPress={test}>
            {t.webhooks.test}
          </Button>
        )}
        <Button icon={isPaused ? 'play' : 'stop'} isBusy={change.isPending} onPress={pause}>
          {isPaused ? t.webhooks.resume : t.webhooks.pause}
        </Button>
        <Button icon="secret" onPress={() => setAsked('rotate')}>
          {t.webhooks.rotate}
        </Button>
        <Button icon="trash" onPress={() => setAsked('remove')}>
          {t.company.remove}
        </Button>
      </div>
      {asked === 'rotate' && (
        <ConfirmDialog title={t.webhooks.rotate} act={t.webhooks.rotate} mutation={rotate} onClose={close}>
          <p>{t.webhooks.rotateWhy}</p>
        </ConfirmDialog>
      )}
      {asked === 'remove' && (
        <ConfirmDialog
          title={t.webhooks.remove}
          act={t.company.remove}
          isDanger
          mutation={remove}
          onClose={close}
        >
          <p>{t.webhooks.removeWhy}</p>
        </ConfirmDialog>
      )}
    </section>
  )
}
