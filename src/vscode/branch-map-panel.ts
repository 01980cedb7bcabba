// The branch map: an editor tab that draws a whole session as one picture and follows it while the agent runs.
import * as vscode from "vscode";
import { TurnSizes } from "../core/compaction/turn-sizes.ts";
import { branchMap, growLane, type MapLane } from "../core/session/branch-map.ts";
import { BranchOutline } from "../core/session/branch-outline.ts";
import {
  type DescribedEntry,
  fromBranchMapSchema,
  type MapLaneView,
  type MapPlace,
  type ToBranchMap,
} from "../protocol/branch-map.ts";
import { sessionTabSchema } from "../protocol/session-tab.ts";
import type { OpenSession } from "./open-session.ts";
import { PacedRefresh } from "./paced-refresh.ts";
import { pageHtml, pageOptions } from "./page-html.ts";
import type { SessionService } from "./session-service.ts";
import { followTitle, nameOfOpen } from "./session-tab-title.ts";
import { showInChat } from "./show-in-chat.ts";
import { kindName, shortTime } from "./tree-labels.ts";
import { rowContent } from "./tree-row.ts";

export interface BranchMapServices {
  extensionUri: vscode.Uri;
  sessions: SessionService;
  log: vscode.LogOutputChannel;
  onError: (error: unknown) => void;
}

export class BranchMapPanel implements vscode.Disposable {
  readonly #services: BranchMapServices;
  readonly #maps = new Map<OpenSession, OpenMap>();

  constructor(services: BranchMapServices) {
    this.#services = services;
  }

  /** Opens the map of a session, or brings the one that is open to the front. */
  open(open: OpenSession): void {
    const known = this.#maps.get(open);
    if (known !== undefined) return known.panel.reveal();
    const title = vscode.l10n.t("Branch Map");
    const options = pageOptions(this.#services.extensionUri);
    this.#fill(open, vscode.window.createWebviewPanel("coppice.branchMap", title, vscode.ViewColumn.Active, options));
  }

  /** Fills a tab that was there before the window was loaded again. Throws where its session is not to be had. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const open = await this.#services.sessions.open(sessionTabSchema.parse(state).file);
    if (this.#maps.has(open)) return panel.dispose();
    panel.webview.options = pageOptions(this.#services.extensionUri);
    this.#fill(open, panel);
  }

  #fill(open: OpenSession, panel: vscode.WebviewPanel): void {
    panel.iconPath = new vscode.ThemeIcon("type-hierarchy-sub");
    const map = new OpenMap(panel, open, this.#services);
    this.#maps.set(open, map);
    panel.onDidDispose(() => {
      this.#maps.delete(open);
      map.dispose();
    });
    panel.webview.html = pageHtml(panel.webview, this.#services.extensionUri, {
      script: "branch-map",
      styles: ["inspector", "branch-map"],
    });
  }

  dispose(): void {
    for (const { panel } of [...this.#maps.values()]) panel.dispose();
  }
}

/** One map, its tab and what it was drawn from. */
class OpenMap implements vscode.Disposable {
  readonly panel: vscode.WebviewPanel;
  readonly #open: OpenSession;
  readonly #services: BranchMapServices;
  readonly #sizes: TurnSizes;
  readonly #refresh: PacedRefresh;
  readonly #bound: vscode.Disposable[];
  #outline: BranchOutline | undefined;
  #lanes: MapLane[] = [];
  /** Where each turn begins, by its first entry. */
  #places = new Map<string, MapPlace>();
  #appended: string[] = [];
  /** The page has a picture that only needs its changes. */
  #drawn = false;
  readonly #changedLanes = new Set<number>();
  #reading = new AbortController();

  constructor(panel: vscode.WebviewPanel, open: OpenSession, services: BranchMapServices) {
    this.panel = panel;
    this.#open = open;
    this.#services = services;
    this.#sizes = new TurnSizes(open.session);
    this.#refresh = new PacedRefresh(() => this.#send(), services.onError);
    // Another name is drawn with the whole picture.
    const redraw = () => {
      this.#drawn = false;
      this.#refresh.soon();
    };
    this.#bound = [
      followTitle(panel, open, (name) => vscode.l10n.t("Branch Map: {0}", name), redraw),
      open.onDidChangeTree((appended) => {
        for (const id of appended) this.#appended.push(id);
        this.#refresh.soon();
      }),
      open.onDidChange(() => this.#refresh.soon()),
      panel.onDidChangeViewState(() => {
        if (panel.visible) this.#refresh.soon();
      }),
      panel.webview.onDidReceiveMessage((raw: unknown) => void this.#receive(raw).catch(services.onError)),
    ];
  }

  async #receive(raw: unknown): Promise<void> {
    const parsed = fromBranchMapSchema.safeParse(raw);
    if (!parsed.success) {
      this.#services.log.warn("A message of the branch map's page was not understood and dropped.");
      return;
    }
    const message = parsed.data;
    switch (message.type) {
      case "view.ready":
        this.#drawn = false;
        return await this.#refresh.now();
      case "entry.show":
        return await showInChat(this.#services.sessions, this.#open, message.entryId);
      case "entries.describe":
        await this.#post({ type: "described", entries: await this.#describe(message.entryIds) });
    }
  }

  async #post(message: ToBranchMap): Promise<void> {
    await this.panel.webview.postMessage(message);
  }

  async #describe(ids: readonly string[]): Promise<DescribedEntry[]> {
    return (await this.#open.session.getEntries(ids)).map((entry) => {
      const content = rowContent(entry);
      const { kind, title, timeMs } = content;
      return { id: entry.id, kindName: kindName(kind), title, time: shortTime(timeMs) };
    });
  }

  /** Sends what changed since the page was told last, or the whole picture. */
  async #send(): Promise<void> {
    if (!this.panel.visible) {
      this.#drawn = false;
      return;
    }
    const { session } = this.#open;
    if (this.#outline === undefined) {
      await session.ready();
      this.#appended = [];
      this.#outline = await BranchOutline.create(session, "default");
      await this.#map();
    } else if (this.#appended.length > 0) {
      await this.#grow(this.#outline);
    }
    const places = { position: this.#place(this.#outline.positionId), shown: this.#shown() };
    if (this.#drawn) {
      const lanes = [...this.#changedLanes].map((index): [number, MapLaneView] => [index, this.#view(index)]);
      await this.#post({ type: "lanes", lanes, ...places });
    } else {
      const title = nameOfOpen(this.#open);
      const lanes = this.#lanes.map((_lane, index) => this.#view(index));
      await this.#post({
        type: "state",
        state: { title, lanes, ...places },
        strings: vscode.l10n.bundle ?? {},
        ...(session.file === undefined ? {} : { restore: { file: session.file } }),
      });
      this.#drawn = true;
    }
    this.#changedLanes.clear();
  }

  /** Takes up what joined the session: what the position's lane grew by, or all lanes where more than that changed. */
  async #grow(outline: BranchOutline): Promise<void> {
    const before = outline.positionId;
    const { moved, added, changed } = await outline.grow(this.#appended.splice(0));
    const lane = this.#lanes[0];
    if (moved || changed.some((id) => id !== before) || (added.length > 0 && lane?.active !== true)) {
      await this.#map();
    } else if (lane !== undefined && added.length > 0) {
      const grown = growLane(this.#open.session, lane, added);
      this.#lanes[0] = grown;
      for (let turn = lane.turns.length; turn < grown.turns.length; turn++) {
        this.#places.set(grown.turns[turn]!.firstId, { lane: 0, turn });
      }
      this.#changedLanes.add(0);
      this.#readSizes();
    }
  }

  /** Makes the lanes anew; those that say what they said are not sent again. */
  async #map(): Promise<void> {
    if (this.#outline === undefined) return;
    const before = this.#lanes;
    const lanes = await branchMap(this.#open.session, this.#outline);
    this.#lanes = lanes;
    this.#places = new Map();
    lanes.forEach((lane, index) => {
      lane.turns.forEach((turn, at) => void this.#places.set(turn.firstId, { lane: index, turn: at }));
      if (!isSame(before[index], lane)) this.#changedLanes.add(index);
    });
    const fits = lanes.length === before.length && lanes.every((lane, index) => lane.id === before[index]?.id);
    if (!fits) this.#drawn = false;
    this.#readSizes();
  }

  #readSizes(): void {
    this.#reading.abort();
    this.#reading = new AbortController();
    const some = (known: ReadonlySet<number>) => {
      for (const index of known) this.#changedLanes.add(index);
      this.#refresh.soon();
    };
    this.#sizes.read(this.#lanes, some, this.#reading.signal).catch(this.#services.onError);
  }

  #view(index: number): MapLaneView {
    const { id, parent, parentColumn, column, active, turns } = this.#lanes[index]!;
    return {
      ...{ id, parent, parentColumn, column, active },
      firstIds: turns.map((turn) => turn.firstId),
      lastIds: turns.map((turn) => turn.lastId),
      tokens: turns.map((turn) => this.#sizes.of(turn.replyId) ?? null),
      marks: turns.flatMap((turn, at) => turn.marks.map((mark) => ({ turn: at, ...mark }))),
    };
  }

  #shown(): MapPlace | null {
    const { shownLeafId } = this.#open;
    return shownLeafId === undefined ? null : this.#place(this.#outline?.rowFor(shownLeafId));
  }

  /** The turn that a row is in: the nearest one that begins at it or above it. */
  #place(rowId: string | undefined): MapPlace | null {
    const seen = new Set<string>();
    for (let id = rowId ?? null; id !== null && !seen.has(id); id = this.#open.session.node(id)?.parentId ?? null) {
      const place = this.#places.get(id);
      if (place !== undefined) return place;
      seen.add(id);
    }
    return null;
  }

  dispose(): void {
    this.#reading.abort();
    this.#refresh.dispose();
    for (const disposable of this.#bound) disposable.dispose();
  }
}

function isSame(before: MapLane | undefined, lane: MapLane): boolean {
  return before !== undefined && JSON.stringify(before) === JSON.stringify(lane);
}
