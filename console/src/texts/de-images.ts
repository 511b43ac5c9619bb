import type { EnImages } from './en-images.ts'
import { numbersOf } from './numbers.ts'

const { number, counted } = numbersOf('de')

export const deImages = {
  images: {
    parts: {
      label: 'Teile der Version',
      version: 'Version',
      packages: 'Pakete',
      findings: 'Befunde',
      provenance: 'Herkunft',
      compare: 'Vergleich',
    },
    forManagers: 'Nur wer die Umgebung betreut, sieht das.',
    package: 'Paket',
    version: 'Version',
    kind: 'Art',
    search: 'Pakete suchen',
    downloadSbom: 'Als CycloneDX herunterladen',
    packageCount: (shown: number, all: number) =>
      shown === all
        ? counted(all, 'Paket', 'Pakete')
        : `${number.format(shown)} von ${counted(all, 'Paket', 'Paketen')}`,
    incomplete: 'In der Liste fehlen Pakete: Eine Grenze wurde erreicht, oder Dateien waren nicht lesbar.',
    noReport:
      'Vom letzten Build gibt es keine Prüfung: Er kam nicht so weit, oder die Prüfung wurde entfernt.',
    notSigned: 'Das Image ist nicht signiert: Kein Build wurde fertig.',
  },
  scans: {
    title: (name: string) => `Befunde von ${name}`,
    why: 'Befunde sind Hinweise: Keiner lässt einen Build oder einen Lauf scheitern.',
    ofEnvironment: 'Befunde aller Versionen, auch hingenommene',
    found: 'Gefunden',
    none: 'nichts',
    noneMatches: 'Kein Befund passt.',
    severity: 'Schwere',
    severities: {
      critical: 'Kritisch',
      high: 'Hoch',
      medium: 'Mittel',
      low: 'Niedrig',
      unknown: 'Unbekannt',
    },
    rule: 'Regel',
    subject: 'Wo',
    installed: 'Installiert',
    fixed: 'Behoben in',
    about: 'Worum es geht',
    system: 'System',
    read: 'Gelesen',
    readCount: (files: string, bytes: string, packages: string) =>
      `${files} Dateien mit ${bytes}, ${packages} Pakete`,
    database: 'Liste der Schwachstellen',
    databaseOf: (revision: number) => `Import ${number.format(revision)} von`,
    noDatabase: 'Nicht verglichen: Der Betreiber hat keine Liste von Schwachstellen importiert.',
    unread: 'Dateien, die nicht lesbar waren',
    truncated: 'Eine Grenze wurde erreicht, und Befunde fehlen.',
    versions: (installed: string, fixed: string) =>
      fixed === ''
        ? `Installiert ${installed}, noch nicht behoben.`
        : `Installiert ${installed}, behoben in ${fixed}.`,
    firstSeen: 'Zuerst gefunden',
    accept: 'Hinnehmen',
    acceptNamed: (rule: string) => `${rule} hinnehmen`,
    accepted: 'Hingenommen:',
    until: 'bis',
    noReason: 'Schreiben Sie, warum er hingenommen wird.',
    time: 'Wie lange',
    days: (count: number) => counted(count, 'Tag', 'Tage'),
    untilRevoked: 'Bis zum Widerruf',
    revoke: 'Widerrufen',
    revokeNamed: (rule: string) => `${rule} nicht mehr hinnehmen`,
    revokeWhy: 'Der Befund zählt wieder.',
  },
  provenance: {
    proves:
      'Der Dienst hat diese Erklärung signiert, als das Image alle Prüfungen bestanden hatte. Sie beweist, aus welchem Archiv und welchen Basis-Images das Image gemacht wurde, womit es gebaut wurde, und dass es seither niemand geändert hat. Sie sagt nicht, dass das Dockerfile harmlos ist.',
    image: 'Image',
    archive: 'Archiv',
    content: 'Inhalt des Archivs',
    bases: 'Basis-Images',
    earlier: 'Teile früherer Builds',
    reused: 'Übernommen vom Build',
    build: 'Ende des Builds',
    builder: 'Gebaut mit',
    runner: 'Schicht der Plattform',
    signedBy: 'Signiert mit Schlüssel',
    trusted: 'ein Schlüssel dieses Dienstes',
    notTrusted: 'kein Schlüssel dieses Dienstes',
    download: 'Erklärung herunterladen',
    downloadImage: 'Image herunterladen',
    verify: 'Auf einem anderen Rechner prüfen',
    verifyWhy:
      'Der letzte Befehl braucht kein Netz. Nehmen Sie die Schlüssel von jemandem, dem Sie vertrauen.',
  },
  compare: {
    skipped: (count: number) => counted(count, 'gleiche Zeile', 'gleiche Zeilen'),
    with: 'Verglichen mit',
    beside: 'Code nebeneinander zeigen',
    unchanged: '$ Zeilen sind gleich',
    noOther: 'Es gibt keine andere Version zum Vergleichen.',
    same: 'gleich',
    notKnown: 'nicht bekannt',
    change: 'Änderung',
    changes: { added: 'neu', removed: 'entfernt', changed: 'geändert' },
    before: 'Vorher',
    after: 'Jetzt',
    compressed: 'Gepackte Größe',
    packages: (added: number, removed: number, changed: number) =>
      `${number.format(added)} neu, ${number.format(removed)} entfernt, ${number.format(changed)} mit anderer Version`,
    newFindings: (count: number) => counted(count, 'neuer Befund', 'neue Befunde'),
    goneFindings: (count: number) => counted(count, 'Befund fällt weg', 'Befunde fallen weg'),
  },
  taskChanges: {
    title: 'Änderungen für Benutzer',
    none: 'Wer die Aufgabe startet, merkt keinen Unterschied.',
    first: 'Es ist die erste Version, die jemand starten kann.',
    since: (at: number) => `Änderungen für Benutzer seit Version ${number.format(at)}`,
    rooms: (count: number) =>
      count === 0
        ? 'Noch kein Raum bietet diese Aufgabe an.'
        : `${counted(count, 'Raum bietet', 'Räume bieten')} diese Aufgabe an, jeder in der Version, die er angenommen hat.`,
    fields: {
      added: (path: string) => `Das Formular hat ein neues Feld: ${path}.`,
      added_required: (path: string) => `Das Formular hat ein neues Pflichtfeld: ${path}.`,
      removed: (path: string) => `Das Formular hat das Feld ${path} nicht mehr.`,
      required: (path: string) => `Das Feld ${path} ist ein Pflichtfeld.`,
      optional: (path: string) => `Das Feld ${path} ist kein Pflichtfeld mehr.`,
      type: (path: string) => `Das Feld ${path} nimmt eine andere Art von Wert.`,
      changed: (path: string) => `Das Feld ${path} hat andere Regeln oder Texte.`,
    },
    newSecrets: (names: string) =>
      `Sie braucht weitere Geheimnisse, die hinterlegt oder freigegeben werden müssen: ${names}.`,
    droppedSecrets: (names: string) => `Sie bekommt die Geheimnisse ${names} nicht mehr.`,
    timeout: (before: string, after: string) =>
      `Ein Lauf wird nach ${after} angehalten, nicht mehr nach ${before}.`,
    others: {
      schema: 'Das Schema der Eingabe hat andere Regeln.',
      confirmed: 'Ein Mensch muss bestätigen, was ein Agent einreicht.',
      not_confirmed: 'Niemand muss bestätigen, was ein Agent einreicht.',
      instructions: 'Die Anleitung ist anders.',
      environment: 'Sie läuft in einer anderen Umgebung.',
    },
    variables: 'Variablen',
    outputPolicy: 'Ausgabe-Regel',
    bundle: 'Paket',
  },
} satisfies EnImages
