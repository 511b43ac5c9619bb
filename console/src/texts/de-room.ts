import type { EnRoom } from './en-room.ts'
import { numbersOf } from './numbers.ts'

const { counted } = numbersOf('de')

export const deRoom = {
  roomFiles: {
    list: 'Dateien',
    title: (room: string) => `Dateien von ${room}`,
    none: 'Hier wurde keine Datei hochgeladen.',
    add: 'Dateien hochladen',
    until: 'aufbewahrt bis',
    delete: 'Löschen',
    deleteNamed: (name: string) => `${name} löschen`,
    deleteWhy: 'Läufe, die sie genommen haben, können danach nicht wiederholt werden.',
  },
  sessions: {
    list: 'Sitzungen',
    title: (room: string) => `Sitzungen von ${room}`,
    why: 'Eine Sitzung hat Dateien, die zwischen Läufen bleiben. Eine Aufgabe findet sie in /workspace/session, wenn der Lauf die Sitzung nennt.',
    none: 'Sie haben hier keine Sitzung.',
    create: 'Sitzung anlegen',
    ofOthers: 'Sitzungen anderer',
    noneOfOthers: 'Niemand sonst hat hier eine Sitzung.',
    unnamed: 'Sitzung ohne Namen',
    entries: (count: number) => counted(count, 'Eintrag', 'Einträge'),
    sizeOf: (used: string, most: string) => `${used} von ${most}`,
    used: 'benutzt',
    until: 'aufbewahrt bis',
    heldBy: 'von einem Lauf belegt',
    delete: 'Löschen',
    deleteNamed: (name: string) => `${name} löschen`,
    deleteWhy: (count: number) => `${counted(count, 'Eintrag wird', 'Einträge werden')} mitgelöscht.`,
    deleteFolderWhy: 'Der Ordner verschwindet mit allem, was darin ist.',
    deleteFileWhy: 'Der nächste Lauf findet sie nicht mehr.',
    folders: 'Ordner',
    whole: 'Die ganze Sitzung',
    add: 'Dateien hierher hochladen',
    noFiles: 'Darin ist nichts.',
    kinds: { file: 'Datei', folder: 'Ordner', link: 'Verweis' },
    target: 'auf',
    downloadNamed: (name: string) => `${name} herunterladen`,
    downloadAll: 'Als Zip herunterladen',
  },
  quickRun: {
    list: 'Schnelllauf',
    title: (room: string) => `Schnelllauf in ${room}`,
    why: 'Ein Skript läuft einmal, ohne eine Aufgabe im Angebot des Raums.',
    script: 'Skript',
    scriptHelp:
      'Die Eingabe steht in der Datei, die SERVICE_INPUTS_FILE nennt; die Ausgabe kommt in die von SERVICE_OUTPUT_FILE.',
    inputHelp: 'Beliebiges JSON.',
    noJson: 'Das ist kein JSON.',
  },
} satisfies EnRoom
