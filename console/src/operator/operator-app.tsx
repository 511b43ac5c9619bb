import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { language } from '../app/language.ts'
import { makeQueries } from '../data/api/queries.ts'
import { signInNeeded } from '../data/api/sign-in-state.ts'
import { useStore } from '../data/store.ts'
import { loadSpeech, type Speech, SpeechProvider } from '../texts/texts.tsx'
import { makeOperatorRouter } from './router.tsx'
import { SignInPage } from './sign-in-page.tsx'
import type { OperatorTexts } from './texts/en.ts'
import { loadOperatorTexts, OperatorTextsProvider } from './texts/operator-texts.tsx'

const queries = makeQueries()

interface Props {
  speech: Speech
  texts: OperatorTexts
  /** Why the code of the address did not sign in. */
  signInFault: unknown
}

/** The operator console: the sign-in until somebody is signed in, then its screens. */
export function OperatorApp({ signInFault, ...first }: Props) {
  const [words, setWords] = useState(first)
  const chosen = useStore(language)
  const isSignInNeeded = useStore(signInNeeded)
  useEffect(() => {
    if (chosen === words.speech.language) return
    void Promise.all([loadSpeech(chosen), loadOperatorTexts(chosen)]).then(([speech, texts]) =>
      setWords({ speech, texts }),
    )
  }, [chosen, words])
  return (
    <SpeechProvider speech={words.speech}>
      <OperatorTextsProvider texts={words.texts}>
        <QueryClientProvider client={queries}>
          {isSignInNeeded || signInFault !== undefined ? <SignInPage fault={signInFault} /> : <Screens />}
        </QueryClientProvider>
      </OperatorTextsProvider>
    </SpeechProvider>
  )
}

/** Made after the code has left the address. */
function Screens() {
  const [router] = useState(() => makeOperatorRouter(queries))
  return <RouterProvider router={router} />
}
