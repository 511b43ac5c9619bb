import type { SignIn } from '@sandbox-jobs/contract/resources/access/sign-in.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { api } from '../../data/api/api.ts'
import { apiQuery } from '../../data/api/queries.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Panel } from '../../parts/panel.tsx'
import rows from '../../parts/row-list.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './me.module.css'

/** The browsers in which the person is signed in. Each of the others can be signed out from here. */
export function SignInList() {
  const t = useTexts()
  const queries = useQueryClient()
  const list = apiQuery(allRoutes.listSignIns, {})
  const signIns = useQuery(list)
  const end = useMutation({
    mutationFn: (which: string) => api.call(allRoutes.endSignIns, { body: { which } }),
    onSuccess: () => queries.invalidateQueries(list),
  })
  return (
    <Panel query={signIns}>
      {({ items }) => (
        <>
          {end.error && <ErrorBox error={end.error} />}
          <ul className={styles.list}>
            {items.map((signIn) => (
              <Row key={signIn.id} signIn={signIn} onEnd={() => end.mutate(signIn.id)} />
            ))}
          </ul>
          {items.length > 1 && (
            <div>
              <Button icon="signOut" isBusy={end.isPending} onPress={() => end.mutate('others')}>
                {t.me.endOthers}
              </Button>
            </div>
          )}
        </>
      )}
    </Panel>
  )
}

function Row({ signIn, onEnd }: { signIn: SignIn; onEnd: () => void }) {
  const t = useTexts()
  return (
    <li>
      <div>
        <p>
          <TenantText text={signIn.client} />
        </p>
        <p className={rows.detail}>
          <code>{signIn.address}</code>
          <span>
            {t.me.lastUsed} <Moment at={signIn.last_used_at} />
          </span>
          {signIn.by === 'provider' && <span>{t.me.byProvider}</span>}
        </p>
      </div>
      {signIn.is_current ? (
        <span className={rows.detail}>{t.me.thisBrowser}</span>
      ) : (
        <Button onPress={onEnd}>{t.me.end}</Button>
      )}
    </li>
  )
}
