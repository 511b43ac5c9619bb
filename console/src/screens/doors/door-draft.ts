import type { DoorCreateRequest } from '@sandbox-jobs/contract/resources/doors/door.ts'
import type { DoorKind } from '@sandbox-jobs/contract/resources/doors/door-kind.ts'

/** A language of a new door as it is typed. */
export interface LanguageDraft {
  /** Of this page alone. */
  id: number
  language: string
  version: string
  environmentVersion: string
  command: string
}

/** A new door as it is typed. */
export interface DoorDraft {
  name: string
  kind: DoorKind
  languages: readonly LanguageDraft[]
  hasNetwork: boolean
  timeout: string
}

export const newLanguage = (id: number): LanguageDraft => ({
  id,
  language: '',
  version: '',
  environmentVersion: '',
  command: '',
})

/** Programs of Dify ask for a network themselves, and have none without it. */
export const usuallyHasNetwork = (kind: DoorKind): boolean => kind === 'dify'

export const isComplete = ({ name, languages }: DoorDraft): boolean =>
  name.trim() !== '' &&
  languages.every(({ language, environmentVersion }) => language.trim() !== '' && environmentVersion !== '')

/** The same as the API takes it. Fields that are left empty have the value that the service knows. */
export const bodyOf = ({ name, kind, languages, hasNetwork, timeout }: DoorDraft): DoorCreateRequest => ({
  name,
  kind,
  network: hasNetwork,
  timeout_seconds: Number(timeout),
  runtimes: languages.map(({ language, version, environmentVersion, command }) => ({
    language: language.trim(),
    ...(version.trim() !== '' && { version: version.trim() }),
    environment_version_id: environmentVersion,
    ...(command.trim() !== '' && { run_command: command }),
  })),
})
