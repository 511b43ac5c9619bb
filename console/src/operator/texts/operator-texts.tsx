import type { ConsoleLanguage } from '@sandbox-jobs/contract/console-look.ts'
import { createContext, type ReactNode, useContext } from 'react'
import type { OperatorTexts } from './en.ts'

export const loadOperatorTexts = async (language: ConsoleLanguage): Promise<OperatorTexts> =>
  language === 'de' ? (await import('./de.ts')).de : (await import('./en.ts')).en

const Context = createContext<OperatorTexts | undefined>(undefined)

export const OperatorTextsProvider = ({ texts, children }: { texts: OperatorTexts; children: ReactNode }) => (
  <Context value={texts}>{children}</Context>
)

export function useOperatorTexts(): OperatorTexts {
  const texts = useContext(Context)
  if (texts === undefined) throw new Error('no texts of the operator console around this component')
  return texts
}
