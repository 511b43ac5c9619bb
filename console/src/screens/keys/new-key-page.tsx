import type { ApiKeyCreated } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { readKeysAgain } from '../../data/company/api-keys.ts'
import links from '../../parts/button.module.css'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { Page } from '../../parts/page.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from '../company/company.module.css'
import { ShownOnce } from '../company/shown-once.tsx'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { emptyKey, isNamed, namesRooms, requestOf } from './key-draft.ts'
import { KeyFields } from './key-fields.tsx'

/** A new key. It is shown when it is made, and never again. */
export function NewKeyPage() {
  const t = useTexts()
  const queries = useQueryClient()
  const [draft, setDraft] = useState(emptyKey)
  const [isTried, setIsTried] = useState(false)
  const create = useMutation({
    mutationFn: () => api.call(allRoutes.createApiKey, { body: requestOf(draft, Date.now()) }),
    onSuccess: () => readKeysAgain(queries),
    gcTime: 0,
  })
  useCompanyTrail('keys')
  function send(): void {
    setIsTried(true)
    if (isNamed(draft) && namesRooms(draft) && !create.isPending) create.mutate()
  }
  if (create.data) return <MadeKey made={create.data} />
  return (
    <Page title={t.apiKeys.create}>
      <Form className={styles.form} onSubmit={send}>
        <KeyFields draft={draft} isTried={isTried} onDraft={setDraft} />
        {create.error && <ErrorBox error={create.error} />}
        <SubmitButton isBusy={create.isPending}>{t.apiKeys.create}</SubmitButton>
      </Form>
    </Page>
  )
}

function MadeKey({ made }: { made: ApiKeyCreated }) {
  const t = useTexts()
  return (
    <Page title={t.apiKeys.made}>
      <ShownOnce why={t.apiKeys.madeWhy} label={t.apiKeys.key} value={made.api_key} />
      <div>
        <Link to="/company/keys/$id" params={{ id: made.id }} className={links.button}>
          {t.apiKeys.show}
        </Link>
      </div>
    </Page>
  )
}
