import { runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import { useRef, useState } from 'react'
import { useSettled } from '../../data/settled.ts'
import { initialValue } from '../../form/defaults.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import type { Json } from '../../form/json.ts'
import { parsedJson } from '../../form/parsed-json.ts'
import { Button } from '../../parts/button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import styles from './tasks.module.css'

const settledMs = 300

/** The form that people get from a schema, while the schema is typed. Its values are of this page alone. */
export function LiveForm({ schema }: { schema: string }) {
  const t = useTexts()
  const settled = useSettled(schema, settledMs)
  const parsed = parsedJson(settled, runInputBounds)
  return (
    <section className={styles.live} aria-label={t.tasks.liveForm}>
      <h2>{t.tasks.liveForm}</h2>
      {parsed.kind === 'refused' ? (
        <p role="status">{t.inputForm.notJson(parsed.line, parsed.refusal)}</p>
      ) : (
        <TriedForm schema={parsed.value} schemaText={settled} />
      )}
    </section>
  )
}

function TriedForm({ schema, schemaText }: { schema: Json | undefined; schemaText: string }) {
  const t = useTexts().tasks
  const form = useRef<InputFormHandle>(null)
  const [typed, setTyped] = useState<Json>()
  const [checked, setChecked] = useState<{ schemaText: string; typed: Json | undefined; fits: boolean }>()
  const value = typed ?? initialValue(schema)
  const fits = checked?.schemaText === schemaText && checked.typed === typed && checked.fits
  async function check(): Promise<void> {
    const isFitting = (await form.current?.check()) === true
    setChecked({ schemaText, typed, fits: isFitting })
  }
  return (
    <>
      <InputForm key={schemaText} ref={form} schema={schema} value={value} onValue={setTyped} />
      <div className={styles.acts}>
        <Button icon="check" onPress={() => void check()}>
          {t.checkInput}
        </Button>
        {fits && <span role="status">{t.inputFits}</span>}
      </div>
    </>
  )
}
