import { doorCommandMaxLength, doorRuntimesMax } from '@sandbox-jobs/contract/limits.ts'
import { Button } from '../../parts/button.tsx'
import { EnvironmentSelect } from '../../parts/environment-select.tsx'
import { Field } from '../../parts/field.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { type LanguageDraft, newLanguage } from './door-draft.ts'
import styles from './doors.module.css'

interface Props {
  languages: readonly LanguageDraft[]
  isTried: boolean
  onChange: (languages: LanguageDraft[]) => void
}

/** The languages of a door, one after the other. */
export function LanguageFields({ languages, isTried, onChange }: Props) {
  const t = useTexts()
  const next = Math.max(0, ...languages.map(({ id }) => id)) + 1
  return (
    <>
      {languages.map((language, at) => (
        <fieldset key={language.id} className={styles.language}>
          <legend>{t.doors.languageNumber(at + 1)}</legend>
          <OneLanguage
            language={language}
            isTried={isTried}
            onChange={(changed) => onChange(languages.with(at, { ...language, ...changed }))}
          />
          {languages.length > 1 && (
            <div>
              <Button
                icon="trash"
                label={`${t.doors.remove}: ${t.doors.languageNumber(at + 1)}`}
                onPress={() => onChange(languages.toSpliced(at, 1))}
              >
                {t.doors.remove}
              </Button>
            </div>
          )}
        </fieldset>
      ))}
      {languages.length < doorRuntimesMax && (
        <div>
          <Button icon="plus" onPress={() => onChange([...languages, newLanguage(next)])}>
            {t.doors.addLanguage}
          </Button>
        </div>
      )}
    </>
  )
}

interface OneProps {
  language: LanguageDraft
  isTried: boolean
  onChange: (changed: Partial<LanguageDraft>) => void
}

function OneLanguage({ language, isTried, onChange }: OneProps) {
  const t = useTexts()
  const missing = (text: string) => (isTried && text.trim() === '' ? t.doors.needed : undefined)
  return (
    <>
      <Field label={t.doors.language} help={t.doors.languageHelp} error={missing(language.language)}>
        {(tied) => (
          <input
            {...tied}
            spellCheck={false}
            autoCapitalize="off"
            value={language.language}
            onChange={(event) => onChange({ language: event.target.value })}
          />
        )}
      </Field>
      <EnvironmentSelect
        value={language.environmentVersion}
        error={missing(language.environmentVersion)}
        onValue={(environmentVersion) => onChange({ environmentVersion })}
      />
      <details>
        <summary>{t.doors.further}</summary>
        <Field label={t.doors.version} help={t.doors.versionHelp}>
          {(tied) => (
            <input
              {...tied}
              value={language.version}
              onChange={(event) => onChange({ version: event.target.value })}
            />
          )}
        </Field>
        <Field label={t.doors.command} help={t.doors.commandHelp}>
          {(tied) => (
            <input
              {...tied}
              spellCheck={false}
              maxLength={doorCommandMaxLength}
              value={language.command}
              onChange={(event) => onChange({ command: event.target.value })}
            />
          )}
        </Field>
      </details>
    </>
  )
}
