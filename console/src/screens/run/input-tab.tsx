import type { ExtendedRun } from '@sandbox-jobs/contract/resources/runs/extended-run.ts'
import { useQuery } from '@tanstack/react-query'
import { inputOfRun } from '../../data/runs/run-input.ts'
import { Fact, Facts } from '../../parts/facts.tsx'
import { Panel } from '../../parts/panel.tsx'
import { TenantText } from '../../parts/tenant-text.tsx'
import { TextBlock } from '../../parts/text-block.tsx'
import { useFormats, useTexts } from '../../texts/texts.tsx'

/** Input, files and metadata that the run was given. */
export default function InputTab({ run }: { run: ExtendedRun }) {
  const t = useTexts().run
  const formats = useFormats()
  const input = useQuery(inputOfRun({ cid: run.chatroom_id, rid: run.id }))
  return (
    <>
      <Panel query={input} empty={(text) => text === null && t.inputGone}>
        {(text) => text !== null && <TextBlock label={t.tabs.input} text={text} />}
      </Panel>
      <Facts>
        <Fact name={t.digest}>
          <code>{run.input_digest}</code>
        </Fact>
        <Fact name={t.profile}>{run.resource_profile}</Fact>
        {run.files.map(({ name, byte_size }) => (
          <Fact key={name} name={t.inputFiles}>
            <TenantText text={name} /> {formats.bytes(byte_size)}
          </Fact>
        ))}
        {Object.entries(run.metadata).map(([key, value]) => (
          <Fact key={key} name={key}>
            <TenantText text={value} />
          </Fact>
        ))}
      </Facts>
    </>
  )
}
