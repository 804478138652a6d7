"""Encoders: fit, transform, save, load, and scikit-learn's checks."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import gsn
from gsn.sklearn import SubstructureCounts

SMILES = ["C1CC1CC", "c1ccccc1", "CC", "C1CCC1C1CC1"]


def test_one_hot_codes_are_ranks_of_the_values():
    table = np.array([[5, 0], [7, 0], [5, 3]])
    codes = gsn.CountEncoder().fit_transform(table)
    assert codes.tolist() == [[0, 0], [1, 0], [0, 1]]
    assert codes.dtype == np.int64


@pytest.mark.parametrize("encoding", ["one-hot", "one-hot-max", "bins:3", "embedding", "raw", "log1p", "standardise"])
def test_encoders_survive_files_and_pickle(tmp_path, encoding):
    survives(tmp_path, encoding, gsn.count_many(SMILES, "cycle:3..=6"))
    survives(tmp_path, encoding, gsn.count_many(SMILES, "spasm:cycle:6", matching="homomorphism"))


def survives(tmp_path, encoding, counts):
    encoder = gsn.CountEncoder(encoding).fit(counts)
    expected = encoder.transform(counts)
    encoder.save(tmp_path / "encoder.json")
    for again in (gsn.CountEncoder.load(tmp_path / "encoder.json"), pickle.loads(pickle.dumps(encoder))):
        assert (again.transform(counts) == expected).all()
        assert (again.encoding, again.sizes_) == (encoding, encoder.sizes_)


def test_unseen_values_go_where_they_are_told():
    small, large = np.array([[1], [2]]), np.array([[9]])
    assert gsn.CountEncoder(unseen="unknown").fit(small).transform(large).tolist() == [[2]]
    assert gsn.CountEncoder(unseen="nearest").fit(small).transform(large).tolist() == [[1]]
    with pytest.raises(ValueError, match="9 did not occur"):
        gsn.CountEncoder(unseen="error").fit(small).transform(large)


def test_mistakes_are_errors_with_a_sentence():
    with pytest.raises(ValueError, match="not fitted"):
        gsn.CountEncoder().transform([[1]])
    with pytest.raises(ValueError, match="unknown encoding"):
        gsn.CountEncoder("hot").fit([[1]])
    with pytest.raises(ValueError, match="unseen is"):
        gsn.CountEncoder(unseen="ignore").fit([[1]])
    with pytest.raises(ValueError, match="negative"):
        gsn.CountEncoder().fit([[-1]])
    fitted = gsn.CountEncoder().fit(gsn.count("C1CC1", patterns="cycle:3"))
    with pytest.raises(ValueError, match="was fitted on"):
        fitted.transform(gsn.count("C1CC1", patterns="cycle:4"))


def test_scikit_learn_accepts_the_transformer():
    from sklearn.utils.estimator_checks import check_estimator

    check_estimator(SubstructureCounts())


def test_a_pipeline_of_scikit_learn():
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    rings = [1, 1, 0, 1]
    model = make_pipeline(SubstructureCounts("cycle:3..=6", pool="mean"), LogisticRegression(C=1e4))
    assert model.fit(SMILES, rings).predict(SMILES).tolist() == rings
    features = SubstructureCounts("cycle:3", log=True).fit(SMILES)
    assert features.get_feature_names_out().tolist() == ["cycle:3/v0"]
