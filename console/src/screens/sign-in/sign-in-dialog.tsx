import { useQueryClient } from '@tanstack/react-query'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { SignInForm } from './sign-in-form.tsx'

/** Over the page on which the sign-in ended, which keeps what was typed. */
export function SignInDialog() {
  const t = useTexts()
  const queries = useQueryClient()
  return (
    <Dialog title={t.signIn.again}>
      <p>{t.signIn.againWhy}</p>
      <SignInForm onSignedIn={() => void queries.invalidateQueries()} />
    </Dialog>
  )
}
