import { useQuery, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import styles from '../app/header.module.css'
import { LookEntries } from '../app/look-entries.tsx'
import { TrailLinks } from '../app/trail-links.tsx'
import { signInNeeded } from '../data/api/sign-in-state.ts'
import { Menu, MenuEntry } from '../parts/menu.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { operatorState, signOut } from './operator-api.ts'
import { useOperatorTexts } from './texts/operator-texts.tsx'

export function OperatorHeader() {
  const t = useTexts()
  const own = useOperatorTexts()
  const formats = useFormats()
  const queries = useQueryClient()
  const { data } = useQuery(operatorState)
  async function end(): Promise<void> {
    await signOut()
    queries.clear()
    signInNeeded.set(true)
  }
  return (
    <header className={styles.header}>
      <a className={styles.skip} href="#main">
        {t.skipToContent}
      </a>
      <Link to="/" className={styles.product}>
        {own.product}
      </Link>
      <TrailLinks />
      <Menu label={own.menu} icon="user">
        {data && (
          <p>
            {own.signedInAs(data.sign_in.account)}
            <br />
            {data.sign_in.access === 'read_only' && (
              <>
                {own.readOnly}
                <br />
              </>
            )}
            {own.until(formats.timeOfDay(new Date(data.sign_in.expires_at)))}
          </p>
        )}
        <LookEntries />
        <MenuEntry icon="signOut" onPress={() => void end()}>
          {t.person.signOut}
        </MenuEntry>
      </Menu>
    </header>
  )
}
