import { describe, expect, it } from "vitest";
import type { Model } from "../../../src/core/llm/model.ts";
import { TEST_MODEL, testHarness } from "../../support/scripted-model.ts";

/** A session that was last used with a model that is listed later. */
async function restored() {
  const known = new Map<string, Model>();
  const setup = testHarness({ overrides: { findModel: (_provider, id) => known.get(id) } });
  await setup.session.appendModelChange("test", "away");
  await setup.session.appendThinkingLevelChange("high");
  await setup.harness.restore();
  const told = () => setup.events.map(({ type }) => type).filter((type) => type.startsWith("model_"));
  return { ...setup, known, told, away: { ...TEST_MODEL, id: "away", name: "Away" } };
}

describe("a model of the branch that is not known yet", () => {
  it("is taken when it comes to be known", async () => {
    const { harness, known, told, away } = await restored();
    expect([harness.model?.id, told()]).toEqual(["scripted", ["model_unavailable"]]);
    await harness.lookForMissingModel();
    expect(told()).toEqual(["model_unavailable"]);
    known.set("away", away);
    await harness.lookForMissingModel();
    await harness.lookForMissingModel();
    expect([harness.model?.id, told()]).toEqual(["away", ["model_unavailable", "model_update", "model_found"]]);
  });

  it("does not undo a choice that was made meanwhile", async () => {
    const { harness, known, away } = await restored();
    await harness.setModel({ ...TEST_MODEL, id: "chosen" });
    known.set("away", away);
    await harness.lookForMissingModel();
    expect(harness.model?.id).toBe("chosen");
  });

  it("is not gone back to once a message was sent without it", async () => {
    const { harness, known, away } = await restored();
    await harness.prompt("hello");
    known.set("away", away);
    await harness.lookForMissingModel();
    expect(harness.model?.id).toBe("scripted");
  });
});
