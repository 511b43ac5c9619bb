import {
  webhookDescriptionMaxLength,
  webhookUrlMaxLength,
  webhookUrlPattern,
} from '@sandbox-jobs/contract/limits.ts'
import {
  type NotificationEvent,
  notificationEvents,
} from '@sandbox-jobs/contract/resources/notifications/notification-event.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readWebhooksAgain } from '../../data/company/webhooks.ts'
import links from '../../parts/button.module.css'
import { CheckList } from '../../parts/check-list.tsx'
import { DescriptionField } from '../../parts/description-field.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Field } from '../../parts/field.tsx'
import { Form } from '../../parts/form.tsx'
import { Page } from '../../parts/page.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { SigningSecret } from './signing-secret.tsx'

const urlForm = new RegExp(webhookUrlPattern)
const items = notificationEvents.map((id) => ({ id, text: id }))

/** A new webhook. Its signing secret is shown when it is made, and never again. */
export function NewWebhookPage() {
  const t = useTexts()
  const queries = useQueryClient()
  const [url, setUrl] = useState('')
  const [description, setDescription] = useState('')
  const [events, setEvents] = useState<string[]>([])
  const [isTried, setIsTried] = useState(false)
  const create = useMutation({
    mutationFn: () =>
      api.call(allRoutes.createWebhook, {
        body: { url: url.trim(), description, events: events as NotificationEvent[] },
      }),
    onSuccess: () => readWebhooksAgain(queries),
    gcTime: 0,
  })
  useCompanyTrail('webhooks')
  const isUrl = urlForm.test(url.trim())
  function send(): void {
    setIsTried(true)
    if (isUrl && !create.isPending) create.mutate()
  }
  if (create.data) {
    return (
      <Page title={t.webhooks.made}>
        <SigningSecret made={create.data} />
        <div>
          <Link to="/company/webhooks/$wid" params={{ wid: create.data.id }} className={links.button}>
            {t.webhooks.show}
          </Link>
        </div>
      </Page>
    )
  }
  return (
    <Page title={t.webhooks.create}>
      <Form className={styles.form} onSubmit={send}>
        <Field
          label={t.webhooks.url}
          help={t.webhooks.urlHelp}
          error={isTried && !isUrl ? t.webhooks.noUrl : undefined}
        >
          {(tied) => (
            <input
              {...tied}
              type="url"
              maxLength={webhookUrlMaxLength}
              spellCheck={false}
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <DescriptionField
          value={description}
          onValue={setDescription}
          maxLength={webhookDescriptionMaxLength}
        />
        <CheckList
          legend={t.webhooks.events}
          help={t.webhooks.eventsHelp}
          items={items}
          chosen={events}
          onChoose={setEvents}
        />
        {create.error && <ErrorBox error={create.error} />}
        <SubmitButton isBusy={create.isPending}>{t.webhooks.create}</SubmitButton>
      </Form>
    </Page>
  )
}
