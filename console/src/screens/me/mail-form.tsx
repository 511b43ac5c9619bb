import type { MailPreferences } from '@sandbox-jobs/contract/resources/notifications/mail-preferences.ts'
import { notificationEvents } from '@sandbox-jobs/contract/resources/notifications/notification-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { apiQuery } from '../../data/api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { CheckList } from '../../parts/check-list.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './me.module.css'

const preferences = apiQuery(allRoutes.readMailPreferences, {})
const events = notificationEvents.map((id) => ({ id, text: id }))

/** The e-mails that the person gets about notifications, or why there are none. */
export function MailPart() {
  const t = useTexts().me
  return (
    <Panel query={useQuery(preferences)} rows={2}>
      {(shown) =>
        shown.is_sent ? (
          <>
            <p>
              {t.mailTo} <TenantText text={shown.address ?? ''} />
            </p>
            <MailForm shown={shown} />
          </>
        ) : (
          <p>{t.noMail}</p>
        )
      }
    </Panel>
  )
}

function MailForm({ shown }: { shown: MailPreferences }) {
  const t = useTexts().me
  const queries = useQueryClient()
  const [muted, setMuted] = useState<readonly string[]>(shown.muted_events)
  const save = useMutation({
    mutationFn: () => {
      const muted_events = notificationEvents.filter((event) => muted.includes(event))
      return api.call(allRoutes.updateMailPreferences, { body: { muted_events } })
    },
    onSuccess: (saved) => queries.setQueryData(preferences.queryKey, saved),
  })
  return (
    <Form className={styles.form} onSubmit={() => save.mutate()}>
      <CheckList
        legend={t.mailAbout}
        items={events}
        chosen={notificationEvents.filter((event) => !muted.includes(event))}
        onChoose={(chosen) => setMuted(notificationEvents.filter((event) => !chosen.includes(event)))}
      />
      {save.error && <ErrorBox error={save.error} />}
      {save.isSuccess && <p role="status">{t.mailSaved}</p>}
      <Button type="submit" isBusy={save.isPending}>
        {t.saveMail}
      </Button>
    </Form>
  )
}
