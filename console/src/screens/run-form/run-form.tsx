import type { ExtendedSubmitRequest } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import type { MenuItem } from '@sandbox-jobs/contract/resources/tasks/menu.ts'
import { useQuery } from '@tanstack/react-query'
import { lazy, Suspense, useRef, useState } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { estimateOf } from '../../data/runs/estimate.ts'
import { useSettled } from '../../data/settled.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import type { Json } from '../../form/json.ts'
import { Button } from '../../parts/button.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { Estimate } from './estimate.tsx'
import { FilesField } from './files-field.tsx'
import { Instructions } from './instructions.tsx'
import { parsedText } from './parsed-text.ts'
import styles from './run-form.module.css'
import { SecretList } from './secret-list.tsx'
import { isRunTimeout, TimeoutOption } from './timeout-option.tsx'
import { useLastInput } from './use-last-input.ts'
import { useRunFiles } from './use-run-files.ts'
import { useSubmitRun } from './use-submit-run.ts'

const CommandsDialog = lazy(() => import('./commands-dialog.tsx'))

const settledMs = 1000

interface Props {
  cid: string
  item: MenuItem
  /** The input to begin with. */
  startsWith: Json | undefined
}

/** Input, files and options of a run. They stay as they were typed until the run is made. */
export function RunForm({ cid, item, startsWith }: Props) {
  const t = useTexts()
  const [input, setInput] = useState(startsWith)
  const form = useRef<InputFormHandle>(null)
  const last = useLastInput(cid, item.task_id)
  const [timeout, setTimeout] = useState('')
  const timeoutSeconds = timeout === '' ? undefined : Number(timeout)
  const isTimeoutValid = isRunTimeout(timeout)
  const files = useRunFiles(cid)
  const submit = useSubmitRun(cid)
  const [isCommandsShown, setIsCommandsShown] = useState(false)
  const estimated = useSettled(isTimeoutValid ? timeoutSeconds : undefined, settledMs)
  const estimate = useQuery(estimateOf({ cid, versionId: item.task_version_id, timeoutSeconds: estimated }))
  const isRefused = estimate.data !== undefined && estimate.data.refusals.length > 0

  const body: ExtendedSubmitRequest = {
    task_version_id: item.task_version_id,
    input: input ?? null,
    ...(timeoutSeconds !== undefined && { timeout_seconds: timeoutSeconds }),
    ...(files.given.length > 0 && { files: files.given }),
  }

  async function send(): Promise<void> {
    if (files.isUploading || submit.isPending || isRefused || !isTimeoutValid) return
    if (!(await form.current?.check())) return
    submit.mutate(body)
  }

  useAction('submit', () => void send())
  return (
    <Form className={styles.form} onSubmit={() => void send()}>
      {item.input_instructions && <Instructions text={item.input_instructions} />}
      <section className={styles.part}>
        <h2>{t.form.input}</h2>
        {last && (
          <div>
            <Button onPress={() => setInput(JSON.parse(last) as Json)}>{t.form.useLast}</Button>
          </div>
        )}
        <InputForm
          ref={form}
          schema={parsedText(item.input_schema)}
          example={parsedText(item.input_example)}
          value={input}
          onValue={setInput}
          files={files.chosen.map(({ name }) => name)}
        />
      </section>
      <FilesField files={files} />
      {item.secret_slots.length > 0 && <SecretList cid={cid} slots={item.secret_slots} />}
      <TimeoutOption value={timeout} version={item.timeout_seconds} onValue={setTimeout} />
      {submit.error && <ErrorBox error={submit.error} />}
      <footer className={styles.foot}>
        <Estimate query={estimate} />
        <SubmitButton
          icon="play"
          keys={keysOf('submit')}
          isBusy={submit.isPending}
          disabledWhy={
            (files.isUploading && t.form.uploading) || (isRefused && t.estimate.refused) || undefined
          }
        >
          {submit.isPending ? t.form.running : t.form.run}
        </SubmitButton>
        <Button icon="job" onPress={() => setIsCommandsShown(true)}>
          {t.form.commands}
        </Button>
      </footer>
      <Suspense>
        {isCommandsShown && (
          <CommandsDialog
            run={{ cid, taskId: item.task_id, body }}
            onClose={() => setIsCommandsShown(false)}
          />
        )}
      </Suspense>
    </Form>
  )
}
