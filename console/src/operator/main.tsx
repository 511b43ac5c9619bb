import { operatorSignInPage } from '@sandbox-jobs/contract/operator/operator-routes.ts'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../design/tokens.css'
import '../design/base.css'
import { listenToKeys } from '../app/actions.ts'
import { language } from '../app/language.ts'
import { watchConnection } from '../data/api/watch-connection.ts'
import { loadSpeech } from '../texts/texts.tsx'
import { signIn } from './operator-api.ts'
import { OperatorApp } from './operator-app.tsx'
import { loadOperatorTexts } from './texts/operator-texts.tsx'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')
listenToKeys()
watchConnection()

/** Spends the code behind `#`, which browsers send to nobody. It leaves the address first: no reload and no history has it. */
async function signInFromAddress(): Promise<unknown> {
  // At other addresses the text behind `#` names a part of the page.
  if (location.pathname !== operatorSignInPage) return undefined
  const code = location.hash.slice(1)
  history.replaceState(null, '', '/operator/')
  if (code === '') return undefined
  return signIn(code).then(
    () => undefined,
    (error: unknown) => error,
  )
}

const [speech, texts, fault] = await Promise.all([
  loadSpeech(language.get()),
  loadOperatorTexts(language.get()),
  signInFromAddress(),
])
createRoot(root).render(
  <StrictMode>
    <OperatorApp speech={speech} texts={texts} signInFault={fault} />
  </StrictMode>,
)
