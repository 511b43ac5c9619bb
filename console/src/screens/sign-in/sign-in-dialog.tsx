import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { signInNeeded } from '../../data/api/sign-in-state.ts'
import { me } from '../../data/person/me.ts'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { ProviderLink } from './provider-link.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Over the page on which the sign-in ended, which keeps what was typed. */
export function SignInDialog() {
  const t = useTexts()
  const queries = useQueryClient()
  useEffect(() => {
    /** The person may have signed in in another tab. */
    const look = async () => {
      const isSignedIn = await queries.fetchQuery({ ...me, staleTime: 0 }).then(
        () => true,
        () => false,
      )
      if (!isSignedIn) return
      signInNeeded.set(false)
      await queries.invalidateQueries()
    }
    const onFocus = () => void look()
    addEventListener('focus', onFocus)
    return () => removeEventListener('focus', onFocus)
  }, [queries])
  return (
    <Dialog title={t.signIn.again}>
      <p>{t.signIn.againWhy}</p>
      <SignInForm onSignedIn={() => void queries.invalidateQueries()} />
      <ProviderLink after="/" isBeside />
    </Dialog>
  )
}
