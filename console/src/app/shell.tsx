import { type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query'
import { Outlet, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { signInNeeded } from '../data/api/sign-in-state.ts'
import { companyPartsOf } from '../data/company/company-parts.ts'
import { me } from '../data/person/me.ts'
import { hasRooms } from '../data/person/roles.ts'
import { useStore } from '../data/store.ts'
import { SignInDialog } from '../screens/sign-in/sign-in-dialog.tsx'
import { useAction } from './actions.ts'
import { Header } from './header.tsx'
import { KeysDialog } from './keys-dialog.tsx'
import { updateWithEvents } from './live-updates.ts'
import { OfflineBar } from './offline-bar.tsx'
import { Palette } from './palette.tsx'
import styles from './shell.module.css'
import { SideBar } from './side-bar.tsx'
import { StoppedBar } from './stopped-bar.tsx'
import { usePreferences } from './use-preferences.ts'

let isStarted = false

/** Events come as long as the page is open, whoever signs in. */
function startOnce(queries: QueryClient): void {
  if (!isStarted) updateWithEvents(queries)
  isStarted = true
}

/** The frame of every screen of a person who is signed in. */
export function Shell() {
  const queries = useQueryClient()
  const navigate = useNavigate()
  const { data: account } = useQuery(me)
  const [open, setOpen] = useState<'palette' | 'keys' | undefined>()
  const isSignInNeeded = useStore(signInNeeded)
  const close = () => setOpen(undefined)
  usePreferences()
  const isInRooms = hasRooms(account?.role)
  useEffect(() => {
    if (isInRooms) startOnce(queries)
  }, [isInRooms, queries])
  useAction('palette', () => setOpen('palette'))
  useAction('help', () => setOpen('keys'))
  useAction('rooms', () => void navigate({ to: '/chatrooms' }), isInRooms)
  useAction('runs', () => void navigate({ to: '/runs' }), isInRooms)
  useAction('inbox', () => void navigate({ to: '/inbox/todo' }), isInRooms)
  useAction('environments', () => void navigate({ to: '/environments' }), isInRooms)
  useAction('tasks', () => void navigate({ to: '/tasks' }), isInRooms)
  useAction('tables', () => void navigate({ to: '/tables' }), account?.can.upload_environment === true)
  const hasCompany = companyPartsOf(account?.role).length > 0
  useAction('company', () => void navigate({ to: '/company' }), hasCompany)
  return (
    <div className={styles.page}>
      <Header onOpenPalette={() => setOpen('palette')} onShowKeys={() => setOpen('keys')} />
      <div className={styles.body}>
        <SideBar />
        <div className={styles.content}>
          <OfflineBar />
          <StoppedBar />
          <main id="main" tabIndex={-1}>
            <Outlet />
          </main>
        </div>
      </div>
      {open === 'palette' && <Palette onClose={close} />}
      {open === 'keys' && <KeysDialog onClose={close} />}
      {isSignInNeeded && <SignInDialog />}
    </div>
  )
}
