import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { TextBlock } from '../../parts/text-block.tsx'
import { useTexts } from '../../texts/texts.tsx'
import { apiRequest, cliCommand, type FormRun } from './commands.ts'

/** The same run by other means. */
export default function CommandsDialog({ run, onClose }: { run: FormRun; onClose: () => void }) {
  const t = useTexts()
  return (
    <Dialog title={t.form.commands} onClose={onClose}>
      <Command label={t.form.cli} text={cliCommand(run)} />
      <Command label={t.form.api} text={apiRequest(location.origin, run)} />
    </Dialog>
  )
}

function Command({ label, text }: { label: string; text: string }) {
  const t = useTexts()
  const [isCopied, setIsCopied] = useState(false)
  const copy = () => navigator.clipboard.writeText(text).then(() => setIsCopied(true))
  return (
    <section>
      <h3>{label}</h3>
      <TextBlock label={label} text={text} />
      <Button icon={isCopied ? 'check' : 'copy'} onPress={() => void copy()}>
        {isCopied ? t.copied : t.copy}
      </Button>
    </section>
  )
}
