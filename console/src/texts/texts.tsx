import type { ConsoleLanguage } from '@sandbox-jobs/contract/console-look.ts'
import { createContext, type ReactNode, useContext } from 'react'
import type { Texts } from './en.ts'
import { type Formats, makeFormats } from './formats.ts'

export interface Speech {
  language: ConsoleLanguage
  texts: Texts
  formats: Formats
}

/** Loads the texts of one language only. */
export async function loadSpeech(language: ConsoleLanguage): Promise<Speech> {
  const texts = language === 'de' ? (await import('./de.ts')).de : (await import('./en.ts')).en
  return { language, texts, formats: makeFormats(language) }
}

const Context = createContext<Speech | undefined>(undefined)

export const SpeechProvider = ({ speech, children }: { speech: Speech; children: ReactNode }) => (
  <Context value={speech}>{children}</Context>
)

function useSpeech(): Speech {
  const speech = useContext(Context)
  if (speech === undefined) throw new Error('no texts around this component')
  return speech
}

/** The texts of the person's language. */
export const useTexts = (): Texts => useSpeech().texts

export const useFormats = (): Formats => useSpeech().formats
