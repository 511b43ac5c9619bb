import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import '../design/tokens.css'
import '../design/base.css'
import { watchConnection } from '../data/api/watch-connection.ts'
import { loadSpeech } from '../texts/texts.tsx'
import { listenToKeys } from './actions.ts'
import { App } from './app.tsx'
import { language } from './language.ts'

const root = document.getElementById('root')
if (root === null) throw new Error('the page has no root element')
listenToKeys()
watchConnection()
createRoot(root).render(
  <StrictMode>
    <App firstSpeech={await loadSpeech(language.get())} />
  </StrictMode>,
)
