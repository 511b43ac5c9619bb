import { runInputBounds } from '@sandbox-jobs/contract/input-schema/strict-json.ts'
import type { Problem } from '@sandbox-jobs/contract/input-schema/verdict.ts'
import { type Ref, useEffect, useId, useImperativeHandle, useMemo, useRef, useState } from 'react'
import { Button } from '../parts/button.tsx'
import { startWorker } from '../parts/own-worker.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import workerUrl from './check.worker.ts?worker&url'
import { withDefaults } from './defaults.ts'
import { keyOf } from './field.ts'
import { FieldView } from './field-view.tsx'
import styles from './form.module.css'
import { FormContext, type FormState } from './form-context.ts'
import { InputChecker } from './input-checker.ts'
import { type Json, valueAt, withValueAt } from './json.ts'
import { JsonText } from './json-text.tsx'
import { KindMemory } from './kind-memory.ts'
import { planForm } from './plan.ts'
import { ProblemSummary } from './problem-summary.tsx'
import { problemsByField } from './problems.ts'
import { whenReleased } from './when-released.ts'

export interface InputFormHandle {
  /** Checks all of it and shows what is wrong; true if it may be sent. The service checks again. */
  check: () => Promise<boolean>
}

interface InputFormProps {
  /** The schema of the task version; undefined if it has none. */
  schema: unknown
  value: Json | undefined
  onValue: (value: Json | undefined) => void
  /** The input that the author gives as an example. */
  example?: Json | undefined
  /** Bytes that the service takes; absent: those of the input of a run. */
  maxBytes?: number
  /** Names of the files that the run gets, for fields that take one. */
  files?: readonly string[]
  ref?: Ref<InputFormHandle>
}

/**
 * The form of an input, made from its JSON Schema, and the same value as JSON. Values are plain JSON; what is not touched is absent.
 *
 *     const [input, setInput] = useState(() => initialValue(version.input_schema))
 *     <InputForm ref={form} schema={version.input_schema} example={version.input_example} value={input} onValue={setInput} />
 *     if (await form.current.check()) submit({ input })
 *
 * Give it a `key` that changes with the task version. `initialValue` is in `defaults.ts`.
 */
export function InputForm({
  schema,
  value,
  onValue,
  example,
  maxBytes = runInputBounds.maxBytes,
  files = [],
  ref,
}: InputFormProps) {
  const t = useTexts().inputForm
  const id = useId()
  const hasForm = schema !== undefined && schema !== null
  const [isJson, setIsJson] = useState(!hasForm)
  const [kinds] = useState(() => new KindMemory())
  const [chosen, setChosen] = useState(kinds.chosen)
  const [touched, setTouched] = useState<ReadonlySet<string>>(new Set())
  const [isSubmitted, setIsSubmitted] = useState(false)
  const [problems, setProblems] = useState<Problem[]>([])
  const [isUnchecked, setIsUnchecked] = useState(false)
  /** How often the summary was to take the focus, which it can when it is drawn. */
  const [focusAsked, setFocusAsked] = useState(0)
  const summary = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (focusAsked > 0) summary.current?.focus()
  }, [focusAsked])
  const [checker] = useState(() => new InputChecker(() => startWorker(workerUrl)))
  useEffect(() => checker.stop, [checker])

  const plan = useMemo(() => planForm(schema, value, chosen), [schema, value, chosen])
  const schemaText = useMemo(() => JSON.stringify(schema ?? {}), [schema])
  const text = useMemo(() => (value === undefined ? '' : JSON.stringify(value)), [value])
  const shown = problemsByField(plan.fields, problems)

  async function check(): Promise<Problem[]> {
    const verdict = await checker.check(schemaText, text === '' ? 'null' : text)
    setIsUnchecked(verdict === undefined)
    const found = verdict?.kind === 'instance_invalid' ? verdict.problems : []
    setProblems(found)
    return found
  }

  useImperativeHandle(ref, () => ({
    check: async () => {
      setIsSubmitted(true)
      const found = await check()
      if (found.length > 0) setFocusAsked(focusAsked + 1)
      return found.length === 0
    },
  }))

  const state: FormState = {
    ...{ id, value, files, Draw: FieldView },
    problemsOf: (field) =>
      isSubmitted || touched.has(keyOf(field.path))
        ? shown.filter((one) => one.field.number === field.number)
        : [],
    set: (path, next) => onValue(withValueAt(value, path, next)),
    add: (path, start) => onValue(withDefaults(schema, withValueAt(value, path, start), path)),
    chooseKind: (field, kind) => {
      const next = kinds.choose(field, kind, valueAt(value, field.path))
      setChosen(kinds.chosen)
      onValue(withDefaults(schema, withValueAt(value, field.path, next), field.path))
    },
  }

  /** The field that the focus leaves is checked, and from then on as it changes. */
  function onBlur(target: EventTarget) {
    const number = target instanceof Element && target.id.startsWith(id) ? target.id.slice(id.length) : ''
    const field = plan.fields[Number(number || -1)]
    if (field) setTouched(new Set([...touched, keyOf(field.path)]))
    whenReleased(() => void check())
  }

  return (
    <div className={styles.form}>
      <FormBar
        {...{ hasForm, isJson, setIsJson, maxBytes }}
        text={text}
        onExample={example === undefined ? undefined : () => onValue(example)}
      />
      <ProblemSummary ref={summary} problems={isSubmitted ? shown : []} formId={id} isJson={isJson} />
      {isUnchecked && <p className={styles.soft}>{t.checkedLater}</p>}
      {isJson ? (
        <JsonText value={value} onValue={onValue} />
      ) : (
        <FormContext value={state}>
          {/* biome-ignore lint/a11y/noStaticElementInteractions: the fields in it lose the focus */}
          <div className={styles.fields} onBlur={(event) => onBlur(event.target)}>
            <FieldView field={plan.root} />
          </div>
        </FormContext>
      )}
    </div>
  )
}

interface FormBarProps {
  hasForm: boolean
  isJson: boolean
  setIsJson: (isJson: boolean) => void
  text: string
  maxBytes: number
  onExample: (() => void) | undefined
}

function FormBar({ hasForm, isJson, setIsJson, text, maxBytes, onExample }: FormBarProps) {
  const t = useTexts().inputForm
  const formats = useFormats()
  const bytes = new TextEncoder().encode(text).length
  return (
    <div className={styles.bar}>
      {hasForm && (
        <>
          <Button kind={isJson ? 'quiet' : 'plain'} onPress={() => setIsJson(false)}>
            {t.form}
          </Button>
          <Button kind={isJson ? 'plain' : 'quiet'} onPress={() => setIsJson(true)}>
            {t.json}
          </Button>
        </>
      )}
      {onExample && (
        <Button kind="quiet" onPress={onExample}>
          {t.useExample}
        </Button>
      )}
      <span className={styles.counter}>{t.size(formats.bytes(bytes), formats.bytes(maxBytes))}</span>
    </div>
  )
}
