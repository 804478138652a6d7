"""Counts as extra atom features of chemprop 2.

chemprop's message passing (a D-MPNN) sees rings only as the flag "in a ring" of its bonds. Here every atom gets the
number of rings of each size it lies on, as ``V_f``, and the network is trained with and without them.

    pip install graphgsn chemprop
    python chemprop_atom_features.py --csv molecules.csv --smiles smiles --target y
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path

import lightning.pytorch as lightning
import numpy as np
import pandas as pd
import torch
from chemprop import data, featurizers, models, nn

import gsn

#: ZINC-12k as it lies in the repository.
ZINC = Path(__file__).parents[2] / "gsn-lab/data/zinc12k/zinc12k.csv.gz"


def datapoints(smiles: list[str], y: np.ndarray, patterns: str | None) -> list[data.MoleculeDatapoint]:
    """Molecules for chemprop, with counts at their atoms if patterns are named."""
    points = [data.MoleculeDatapoint.from_smi(s, [target]) for s, target in zip(smiles, y, strict=True)]
    if patterns:
        # The molecules that chemprop has read, so that the rows are its atoms.
        counts = gsn.count_many([point.mol for point in points], patterns)
        for point, of_one in zip(points, counts, strict=True):
            point.V_f = np.log1p(of_one.values.astype(np.float32))
    return points


def train(parts: list[list[data.MoleculeDatapoint]], epochs: int, width: int, seed: int) -> float:
    """Trains on the first part, and gives the mean absolute error on the second."""
    lightning.seed_everything(seed)
    extra = 0 if parts[0][0].V_f is None else parts[0][0].V_f.shape[1]
    featurizer = featurizers.SimpleMoleculeMolGraphFeaturizer(extra_atom_fdim=extra)
    fit, test = (data.MoleculeDataset(part, featurizer) for part in parts)
    scaler = fit.normalize_targets()
    network = models.MPNN(
        nn.BondMessagePassing(d_v=featurizer.atom_fdim, d_e=featurizer.bond_fdim, d_h=width),
        nn.SumAggregation(),
        nn.RegressionFFN(
            input_dim=width,
            hidden_dim=width,
            criterion=nn.metrics.MAE(),
            output_transform=nn.UnscaleTransform.from_standard_scaler(scaler),
        ),
        metrics=[nn.metrics.MAE()],
    )
    trainer = lightning.Trainer(
        max_epochs=epochs,
        accelerator="auto",
        devices=1,
        logger=False,
        enable_checkpointing=False,
        enable_progress_bar=False,
        enable_model_summary=False,
    )
    trainer.fit(network, data.build_dataloader(fit, seed=seed, num_workers=0))
    predicted = trainer.predict(network, data.build_dataloader(test, shuffle=False, num_workers=0))
    found = torch.cat(predicted).flatten().numpy()
    return float(np.abs(found - test.Y.flatten()).mean())


def main() -> None:
    parser = argparse.ArgumentParser(description="chemprop with and without counts at the atoms.")
    parser.add_argument("--csv", type=Path, default=ZINC, help="a table of molecules; by default ZINC-12k")
    parser.add_argument("--smiles", default="smiles", help="the column with SMILES")
    parser.add_argument("--target", default="y", help="the column with numbers to predict")
    parser.add_argument("--patterns", default="cycle:3..=8")
    parser.add_argument("--epochs", type=int, default=30)
    parser.add_argument("--width", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--quick", action="store_true", help="200 molecules, two epochs, narrow")
    settings = parser.parse_args()
    if settings.quick:
        settings.epochs, settings.width = 2, 32
    warnings.filterwarnings("ignore", module="lightning")

    table = pd.read_csv(settings.csv).sample(frac=1, random_state=settings.seed)
    if settings.quick:
        table = table.head(200)
    smiles, y = table[settings.smiles].tolist(), table[settings.target].to_numpy(np.float32)
    kept = len(smiles) * 4 // 5
    for name, patterns in ("without counts", None), (f"with {settings.patterns}", settings.patterns):
        points = datapoints(smiles, y, patterns)
        error = train([points[:kept], points[kept:]], settings.epochs, settings.width, settings.seed)
        print(f"{name}: test MAE {error:.4f}")


if __name__ == "__main__":
    main()
