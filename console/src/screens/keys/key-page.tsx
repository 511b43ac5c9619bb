import type { ApiKey } from '@sandbox-jobs/contract/resources/access/api-key.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../../data/api/api.ts'
import { apiKeyOf, readKeysAgain } from '../../data/company/api-keys.ts'
import { companyRooms, people } from '../../data/company/directory.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { DateTime } from '../../parts/date-time.tsx'
import { Fact, Facts } from '../../parts/facts.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Page } from '../../parts/page.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { useCompanyTrail } from '../company/use-company-trail.ts'
import { isNotFound } from '../not-found/is-not-found.ts'
import { NotFoundPage } from '../not-found/not-found-page.tsx'
import { KeyBadge } from './key-badge.tsx'

/** A key: its rights, its use, and the way to end it. */
export function KeyPage() {
  const t = useTexts()
  const { id } = useParams({ from: '/signed-in/company/keys/$id' })
  const key = useQuery(apiKeyOf(id))
  const [isAsked, setIsAsked] = useState(false)
  useCompanyTrail('keys')
  if (isNotFound(key.error)) return <NotFoundPage />
  const { name = '', revoked_at } = key.data ?? {}
  return (
    <Page
      title={name}
      actions={
        revoked_at === null && (
          <Button icon="trash" onPress={() => setIsAsked(true)}>
            {t.apiKeys.revoke}
          </Button>
        )
      }
    >
      <Panel query={key}>
        {(shown) => (
          <>
            <KeyFacts apiKey={shown} />
            {isAsked && <RevokeDialog apiKey={shown} onClose={() => setIsAsked(false)} />}
          </>
        )}
      </Panel>
    </Page>
  )
}

function KeyFacts({ apiKey: key }: { apiKey: ApiKey }) {
  const t = useTexts()
  const { data: rooms = [] } = useQuery(companyRooms)
  const { data: everybody = [] } = useQuery(people)
  const owner = everybody.find(({ id }) => id === key.owner_user_id)
  const allowed = rooms.filter(({ id }) => key.allowed_chatroom_ids.includes(id))
  return (
    <Facts>
      <Fact name={t.people.state}>
        <KeyBadge apiKey={key} />
      </Fact>
      <Fact name={t.apiKeys.rights}>{t.apiKeys.scopes[key.scope]}</Fact>
      <Fact name={t.company.parts.chatrooms}>
        {key.scope === 'sandbox' && <TenantText text={allowed.map(({ name }) => name).join(', ')} />}
      </Fact>
      <Fact name={t.apiKeys.owner}>
        <Link to="/company/people/$uid" params={{ uid: key.owner_user_id }}>
          <TenantText text={owner?.display_name ?? key.owner_user_id} />
        </Link>
      </Fact>
      <Fact name={t.apiKeys.origins}>
        {key.domains.includes('*') ? t.apiKeys.anyOrigin : <TenantText text={key.domains.join(', ')} />}
      </Fact>
      <Fact name={t.company.since}>
        <Moment at={key.created_at} />
      </Fact>
      <Fact name={t.apiKeys.lastUsed}>
        {key.last_used_at === null ? t.apiKeys.never : <Moment at={key.last_used_at} />}
      </Fact>
      <Fact name={t.apiKeys.expires}>
        {key.expires_at === null ? t.apiKeys.never : <DateTime at={key.expires_at} />}
      </Fact>
      <Fact name={t.company.id}>
        <IdText id={key.id} />
      </Fact>
    </Facts>
  )
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const t = useTexts()
  const queries = useQueryClient()
  const revoke = useMutation({
    mutationFn: () => api.call(allRoutes.revokeApiKey, { params: { id: apiKey.id } }),
    onSuccess: async () => {
      await readKeysAgain(queries)
      onClose()
    },
  })
  return (
    <ConfirmDialog
      title={t.apiKeys.revokeNamed(apiKey.name)}
      act={t.apiKeys.revoke}
      isDanger
      mutation={revoke}
      onClose={onClose}
    >
      <p>{t.apiKeys.revokeWhy}</p>
    </ConfirmDialog>
  )
}
