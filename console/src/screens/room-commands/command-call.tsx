import { rowMaxBytes } from '@sandbox-jobs/contract/limits.ts'
import type { CommandExecution, TableCommand } from '@sandbox-jobs/contract/resources/tables/table-command.ts'
import type { RowValues } from '@sandbox-jobs/contract/resources/tables/table-field.ts'
import { allRoutes } from '@sandbox-jobs/contract/routes/index.ts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { keysOf, useAction } from '../../app/actions.ts'
import { api } from '../../data/api/api.ts'
import { readRowsAgain } from '../../data/authoring/tables.ts'
import { useIntentKey } from '../../data/intent-key.ts'
import { initialValue } from '../../form/defaults.ts'
import { InputForm, type InputFormHandle } from '../../form/input-form.tsx'
import { ErrorBox } from '../../parts/error-box.tsx'
import { Form } from '../../parts/form.tsx'
import { IdText } from '../../parts/id-text.tsx'
import { SubmitButton } from '../../parts/submit-button.tsx'
import { ToneBox } from '../../parts/tone-box.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { RowFacts } from '../table-rows/row-facts.tsx'
import { schemaOfFields } from '../table-rows/row-values.ts'
import styles from '../tables/tables.module.css'

/** The inputs of a command, and the answer to its last call. Each press is a call of its own. */
export function CommandCall({ cid, command }: { cid: string; command: TableCommand }) {
  const t = useTexts().tables
  const queries = useQueryClient()
  const schema = schemaOfFields(command.inputs)
  const [inputs, setInputs] = useState(() => initialValue(schema))
  const [calls, setCalls] = useState(0)
  const keyOf = useIntentKey()
  const form = useRef<InputFormHandle>(null)
  const call = useMutation({
    mutationFn: () =>
      api.call(allRoutes.executeCommand, {
        params: { cid, id: command.id },
        body: { inputs: inputs as RowValues },
        idempotencyKey: keyOf([calls, inputs]),
      }),
    onSuccess: () => {
      setCalls(calls + 1)
      return readRowsAgain(queries)
    },
  })

  async function send(): Promise<void> {
    if (!call.isPending && (await form.current?.check())) call.mutate()
  }

  useAction('submit', () => void send())
  return (
    <Form className={styles.form} onSubmit={() => void send()}>
      <InputForm ref={form} maxBytes={rowMaxBytes} schema={schema} value={inputs} onValue={setInputs} />
      {call.error && <ErrorBox error={call.error} />}
      <SubmitButton icon="play" keys={keysOf('submit')} isBusy={call.isPending}>
        {t.execute}
      </SubmitButton>
      {call.data && <Answer command={command} answer={call.data} />}
    </Form>
  )
}

function Answer({ command, answer }: { command: TableCommand; answer: CommandExecution }) {
  const t = useTexts().tables
  const { row, row_id } = answer
  if (row_id === undefined) return <p role="status">{t.nothingFound}</p>
  return (
    <>
      <ToneBox tone="success" icon="done">
        <p role="status">{t.answers[command.mode]}</p>
        <IdText id={row_id} />
      </ToneBox>
      {row && <RowFacts fields={fieldsOf(row.values)} values={row.values} />}
    </>
  )
}

const fieldsOf = (values: RowValues) => Object.keys(values).map((name) => ({ name }))
