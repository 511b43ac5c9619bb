import type { OwnAccount } from '@sandbox-jobs/contract/resources/access/own-account.ts'
import type { OwnChatroom } from '@sandbox-jobs/contract/resources/companies/chatroom.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, useParams, useSearch } from '@tanstack/react-router'
import { me } from '../../data/person/me.ts'
import { Panel } from '../../parts/panel.tsx'
import { Tabs } from '../../parts/tabs.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ManagedRoomPage } from '../rooms/managed-room-page.tsx'
import { ConsumerSecrets } from './consumer-secrets.tsx'
import { managedConsumers } from './consumers.ts'

const from = '/signed-in/chatrooms/$cid/manage/secrets'

/** The secrets that jobs of a room get, for who manages the room, its department or the company. */
export function SecretsPage() {
  const t = useTexts()
  const { cid } = useParams({ from })
  const account = useQuery(me)
  return (
    <ManagedRoomPage cid={cid} title={t.secrets.title}>
      {(room) => <Panel query={account}>{(person) => <OfRoom room={room} person={person} />}</Panel>}
    </ManagedRoomPage>
  )
}

function OfRoom({ room, person }: { room: OwnChatroom; person: OwnAccount }) {
  const t = useTexts()
  const { for: wanted } = useSearch({ from })
  const consumers = managedConsumers(room, person)
  const at = Math.max(
    0,
    consumers.findIndex(({ consumer_scope }) => consumer_scope === wanted),
  )
  return (
    <>
      <p>{t.secrets.why}</p>
      {consumers.length > 1 && (
        <Tabs label={t.secrets.storedFor}>
          {consumers.map(({ consumer_scope }) => (
            <Link
              key={consumer_scope}
              to="/chatrooms/$cid/manage/secrets"
              params={{ cid: room.id }}
              search={consumer_scope === 'chatroom' ? {} : { for: consumer_scope }}
              activeOptions={{ exact: true, includeSearch: true }}
              replace
            >
              {t.secrets.scopes[consumer_scope]}
            </Link>
          ))}
        </Tabs>
      )}
      <ConsumerSecrets cid={room.id} consumers={consumers.slice(0, at + 1)} />
    </>
  )
}
