import { QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { makeQueries } from '../data/api/queries.ts'
import { useStore } from '../data/store.ts'
import { loadSpeech, type Speech, SpeechProvider } from '../texts/texts.tsx'
import { loadFirstScreen } from './first-screen.ts'
import { language } from './language.ts'
import { makeRouter } from './router.tsx'

const queries = makeQueries()
const router = makeRouter(queries)
loadFirstScreen(router, queries)

/** The console in the person's language, which changes without losing the screen. */
export function App({ firstSpeech }: { firstSpeech: Speech }) {
  const [speech, setSpeech] = useState(firstSpeech)
  const chosen = useStore(language)
  useEffect(() => {
    if (chosen !== speech.language) void loadSpeech(chosen).then(setSpeech)
  }, [chosen, speech.language])
  return (
    <SpeechProvider speech={speech}>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
      </QueryClientProvider>
    </SpeechProvider>
  )
}
