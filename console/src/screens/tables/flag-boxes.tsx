import { CheckBox } from '../../parts/check-box.tsx'
import { useTexts } from '../../texts/texts.tsx'

export interface TableFlags {
  commands_only: boolean
  channel_rule: boolean
}

interface Props {
  flags: TableFlags
  /** The rule about rooms can change only while a table has no rows. */
  canChangeRule: boolean
  onChange: (flags: TableFlags) => void
}

/** The rules of a table for who changes its rows and who reads them. */
export function FlagBoxes({ flags, canChangeRule, onChange }: Props) {
  const t = useTexts().tables
  return (
    <>
      <CheckBox
        isChecked={flags.commands_only}
        onCheck={(commands_only) => onChange({ ...flags, commands_only })}
      >
        {t.commandsOnly}
      </CheckBox>
      <CheckBox
        isChecked={flags.channel_rule}
        isDisabled={!canChangeRule}
        onCheck={(channel_rule) => onChange({ ...flags, channel_rule })}
      >
        {t.channelRule}
      </CheckBox>
    </>
  )
}
